// Reads the files of an import away from the page: once for the preview, and once more, part by part, while they are sent.
import { proposedTarget } from '../../../../server/vocabulary/imports/formats/headings.ts';
import { ImportError, UnmappedError } from '../../../../server/vocabulary/imports/import.ts';
import { openImport, type OpenedImport } from '../../../../server/vocabulary/imports/open.ts';
import { openReport } from '../../../../server/vocabulary/imports/report.ts';
import type { Trouble } from '../../../../server/vocabulary/imports/troubles.ts';
import { inParts, type Part } from '../../../../server/vocabulary/imports/parts.ts';
import type { Answers, Questions, Told } from './reader.ts';

/** How often the page hears how far the reading is. */
const TELL_MS = 100;

let opened: OpenedImport | undefined;
/** Of the latest question to open files. */
let turn = 0;
let sending: { next: number; parts: AsyncGenerator<Part> } | undefined;

type Asked = { [Name in keyof Questions]: { id: number; ask: Name; given: Questions[Name] } }[keyof Questions];

const ACTS: { [Name in keyof Questions]: (given: Questions[Name]) => Promise<Answers[Name]> } = {
  async open({ files, mapping, domain }) {
    turn += 1;
    const own = turn;
    opened = undefined;
    sending = undefined;
    try {
      const found = await openImport(files, { domain, ...(mapping && { mapping }) });
      if (own === turn) opened = found;
      const { format, product, kind, columns, left_out, bytes } = found;
      return { format, product, kind, columns, left_out, bytes };
    } catch (error) {
      if (!(error instanceof UnmappedError)) throw error;
      const columns = error.columns.map((column) => ({ column, becomes: proposedTarget(column) ?? null }));
      return { kind: 'unmapped', trouble: error.trouble, columns };
    }
  },
  async report() {
    const own = current();
    const report = openReport(own);
    for await (const batch of own.read(teller())) {
      if (opened !== own) return undefined;
      report.add(batch);
    }
    return { ...report.report(), all_days: report.allDays() };
  },
  async part({ part }) {
    if (!sending || sending.next > part) sending = { next: 0, parts: inParts(current().read(teller())) };
    for (;;) {
      const { done, value } = await sending.parts.next();
      if (done) return undefined;
      sending.next += 1;
      if (sending.next > part) return value;
    }
  },
};

function current(): OpenedImport {
  if (!opened) throw new Error('No files are open.');
  return opened;
}

function teller() {
  let bytes = 0;
  let toldAt = 0;
  return (more: number) => {
    bytes += more;
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    tell({ bytes });
  };
}

const tell = (told: Told): void => self.postMessage(told);

function failureOf(error: unknown): { trouble: Trouble } | { why: string } {
  if (error instanceof ImportError) return { trouble: error.trouble };
  return { why: error instanceof Error ? error.message : String(error) };
}

self.addEventListener('message', ({ data }: MessageEvent<Asked>) => {
  const act = ACTS[data.ask] as (given: unknown) => Promise<unknown>;
  act(data.given).then(
    (answer) => tell({ id: data.id, answer }),
    (error: unknown) => tell({ id: data.id, ...failureOf(error) }),
  );
});
