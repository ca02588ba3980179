// The page's side of reader.worker.ts. Its code is loaded when somebody chooses files.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { ImportError, type ImportFile } from '../../../../server/vocabulary/imports/import.ts';
import type { Trouble } from '../../../../server/vocabulary/imports/troubles.ts';
import type { Mapping } from '../../../../server/vocabulary/imports/formats/format.ts';
import type { OpenedImport } from '../../../../server/vocabulary/imports/open.ts';
import type { ImportReport } from '../../../../server/vocabulary/imports/report.ts';
import type { Proposed } from './columns';
import type { Part } from '../../../../server/vocabulary/imports/parts.ts';
import address from './reader.worker.ts?worker&url';

export type Opened = Omit<OpenedImport, 'read'>;
/** A CSV that no format knows: its columns must be mapped by hand. */
export type Unmapped = { kind: 'unmapped'; trouble: Trouble; columns: Proposed[] };
/** `all_days`: those with totals, as YYYY-MM-DD, of UTC if there are single hits. */
export type Found = ImportReport & { all_days: string[] };

export type Questions = {
  open: { files: ImportFile[]; mapping: Mapping | undefined; domain: string };
  report: undefined;
  part: { part: number };
};
/** A report is undefined if other files were opened meanwhile, a part after the last one. */
export type Answers = { open: Opened | Unmapped; report: Found | undefined; part: Part | undefined };

/** `trouble` is what the page says in its reader's language, `why` an error that nobody expected. */
export type Told =
  { bytes: number } | { id: number; answer: unknown } | { id: number; trouble: Trouble } | { id: number; why: string };
type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };

type Trusting = { createPolicy(name: string, rules: object): { createScriptURL(address: string): string } };
const { trustedTypes } = globalThis as { trustedTypes?: Trusting };
/** The content security policy knows its name. It allows one address. */
const policy = trustedTypes?.createPolicy('footfall-reader', { createScriptURL: () => address });

export class Reader {
  readonly #worker = new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' });
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** `onRead` hears how many bytes are read since the start of a report or of the first part. */
  constructor(onRead: (bytes: number) => void) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if ('bytes' in data) return onRead(data.bytes);
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('trouble' in data) waiting?.reject(new ImportError(data.trouble));
      else if ('why' in data) waiting?.reject(new Error(data.why));
      else waiting?.resolve(data.answer as never);
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      const error = new Error(
        t('The part of Footfall that reads files could not be loaded. Reload the page to try again.'),
      );
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
  }

  ask<Name extends keyof Questions>(name: Name, given: Questions[Name]): Promise<Answers[Name]> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ask: name, given });
    });
  }

  /** What it was asked is never answered. */
  end(): void {
    this.#worker.terminate();
  }
}
