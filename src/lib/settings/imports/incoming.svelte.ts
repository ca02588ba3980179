// An import that is on its way: the files are read, looked at, and sent part by part. See reader.worker.ts and server/jobs/importing.ts.
import { TRPCClientError } from '@trpc/client';
import { isSealed } from '../../../../server/vocabulary/imports/reading/sealed.ts';
import { contentOf } from '../../../../server/vocabulary/imports/content.ts';
import type { ImportFile } from '../../../../server/vocabulary/imports/import.ts';
import type { Mapping } from '../../../../server/vocabulary/imports/formats/format.ts';
import { overlapOf, type TakenDays, withoutDays } from '../../../../server/vocabulary/imports/overlap.ts';
import type { Import } from '../../api/types';
import { api, isRefused, problem } from '../../api/client';
import { mapColumn, proposedMapping, recallMapping, rememberMapping } from './columns';
import { type Found, type Opened, Reader, type Unmapped } from './reader';
import { lookInto, openSealed, type Sealed, sendSealed } from './sealed';
import { fileWords } from './words';

type Chosen = Opened | Unmapped;
const isByHand = (chosen: Chosen) => chosen.kind === 'unmapped' || chosen.format === 'csv';

export type OverOthers = 'keep' | 'replace';

export class Incoming {
  /** `choose`: there is none. `look`: its files are read, and shown. */
  step = $state<'choose' | 'look' | 'send'>('choose');
  trouble = $state('');
  /** False if the same files would be refused again. */
  canRetry = $state(true);
  isReading = $state(false);
  isFinishing = $state(false);
  name = $state('');
  /** The export of another Footfall, which only the server can read. */
  sealed = $state.raw<Sealed>();
  opened = $state.raw<Chosen>();
  found = $state.raw<Found>();
  /** What the columns of a CSV of no known product become. */
  mapping = $state.raw<Mapping>();
  taken = $state.raw<TakenDays>({ counted: [], paid: [], imported: [] });
  /** Days on which it counts in place of the site's own events. */
  replaced = $state.raw<readonly string[]>([]);
  /** What happens to days that earlier imports have. Undefined until somebody has chosen. */
  overOthers = $state<OverOthers>();
  /** Read; while parts are sent, those that the server has. */
  bytes = $state(0);
  begun = $state.raw<Import>();
  /** Parts that the server has. */
  stored = $state(0);
  readonly overlap = $derived(overlapOf(this.found?.all_days ?? [], this.taken));
  /** Days for which it may count in place of the site's own events: days with payments keep theirs, and single hits would be added. */
  readonly replaceable = $derived(
    this.found?.kind === 'sums' ? withoutDays(this.overlap.counted, this.overlap.paid) : [],
  );
  readonly isUndecided = $derived(this.overlap.imported.length > 0 && this.overOthers === undefined);
  /** Bytes of what is read or sent. */
  readonly #total = $derived(
    this.sealed?.file.size ?? (this.opened && this.opened.kind !== 'unmapped' ? this.opened.bytes : Infinity),
  );
  /** 0 to 1, of what is being read or sent. */
  readonly progress = $derived(Math.min(1, this.bytes / Math.max(1, this.#total)));

  readonly #site: () => { siteId: string; domain: string };
  readonly #onChange: (done?: Import) => void;
  #files: ImportFile[] = [];
  #reader: Reader | undefined;
  /** Of the latest reading or sending: what an earlier one hears is no longer wanted. */
  #turn = {};
  #bytesRead = 0;
  /** More is read than the server has. */
  #isAhead = false;
  #sending: Promise<void> = Promise.resolve();

  /** `onChange` hears that the list of imports has changed, and which one is done. */
  constructor(site: () => { siteId: string; domain: string }, onChange: (done?: Import) => void) {
    this.#site = site;
    this.#onChange = onChange;
  }

  choose(files: readonly File[]): void {
    if (files.length === 0) return;
    this.#reset();
    const [first] = files;
    if (first && files.length === 1)
      void this.#chooseSealed(first).then((isSealed) => isSealed || this.#chooseRead(files));
    else this.#chooseRead(files);
  }

  /** Returns false for a file that is not sealed. */
  async #chooseSealed(file: File): Promise<boolean> {
    if (!(await isSealed(file))) return false;
    try {
      this.sealed = await openSealed(file);
    } catch (error) {
      this.trouble = problem(error);
      return true;
    }
    this.name = fileWords([file.name]);
    this.step = 'look';
    void this.#read();
    return true;
  }

  #chooseRead(files: readonly File[]): void {
    // In the same order, whichever they were chosen in: an import goes on by the number of its next part.
    this.#files = files
      .map((blob) => ({ name: blob.name, blob }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    this.name = fileWords(this.#files.map(({ name }) => name));
    this.#reader = new Reader((bytes) => {
      this.#bytesRead = bytes;
      if (!this.#isAhead) this.bytes = bytes;
    });
    this.step = 'look';
    void this.#read();
  }

  map(column: string, target: string): void {
    this.mapping = mapColumn(this.mapping ?? {}, column, target);
    rememberMapping(this.mapping);
    void this.#read(this.mapping);
  }

  read = (): void => void this.#read(this.mapping);

  send = (): void => {
    this.#sending = this.#send();
  };

  /** Forgets the files, and removes what the server has of them. */
  async cancel(): Promise<void> {
    this.#turn = {};
    await this.#sending;
    const { begun } = this;
    const removing = begun && api.imports.remove.mutate({ site_id: this.#site().siteId, id: begun.id });
    const trouble = await removing?.then(() => '', problem);
    this.#reset();
    this.trouble = trouble ?? '';
    if (begun) this.#onChange();
  }

  /** Nobody looks any more. What the server has of it stays, to go on with. */
  end(): void {
    this.#turn = {};
    this.#reader?.end();
  }

  #reset(): void {
    this.end();
    this.step = 'choose';
    this.trouble = '';
    this.isReading = false;
    this.opened = undefined;
    this.sealed = undefined;
    this.found = undefined;
    this.mapping = undefined;
    this.replaced = [];
    this.overOthers = undefined;
    this.begun = undefined;
  }

  async #read(mapping?: Mapping): Promise<void> {
    const turn = (this.#turn = {});
    const isOld = () => turn !== this.#turn;
    this.trouble = '';
    this.bytes = 0;
    this.#isAhead = false;
    this.isReading = true;
    try {
      const found = this.sealed
        ? await lookInto(this.sealed, this.#site().siteId)
        : await this.#readFiles(mapping, isOld);
      if (isOld()) return;
      if (found) await api.imports.check.mutate({ site_id: this.#site().siteId, ...this.#chosen(found) });
      if (isOld()) return;
      const taken = found && (await api.imports.takenDays.query({ site_id: this.#site().siteId }));
      if (isOld()) return;
      this.found = found;
      if (taken) this.taken = taken;
      // Read again, with other columns or after a failure, it may have other days.
      this.replaced = this.replaced.filter((day) => this.replaceable.includes(day));
    } catch (error) {
      if (isOld()) return;
      this.found = undefined;
      this.canRetry = error instanceof TRPCClientError && !isRefused(error);
      this.trouble = problem(error);
    }
    this.isReading = false;
  }

  async #readFiles(mapping: Mapping | undefined, isOld: () => boolean): Promise<Found | undefined> {
    const opened = await this.#open(mapping);
    if (isOld()) return undefined;
    this.opened = opened;
    return opened.kind === 'unmapped' ? undefined : this.#reader?.ask('report', undefined);
  }

  async #open(mapping: Mapping | undefined): Promise<Chosen> {
    if (!this.#reader) throw new Error('No files are chosen.');
    const { domain } = this.#site();
    const opened = await this.#reader.ask('open', { files: this.#files, mapping, domain });
    if (!isByHand(opened) || mapping) return opened;
    this.mapping = proposedMapping(opened.columns);
    const remembered = recallMapping(opened.columns.map(({ column }) => column));
    if (!remembered) return opened;
    this.mapping = remembered;
    return this.#reader.ask('open', { files: this.#files, mapping: remembered, domain });
  }

  /** What the server knows the files by. */
  #chosen(found: Found) {
    const { sealed, name: file } = this;
    return sealed
      ? { format: 'sealed' as const, file, content: sealed.keys }
      : { format: found.format, file, content: contentOf(found) };
  }

  async #send(): Promise<void> {
    const { found, sealed } = this;
    if (!found) return;
    const turn = (this.#turn = {});
    const isOld = () => turn !== this.#turn;
    const site_id = this.#site().siteId;
    this.step = 'send';
    this.trouble = '';
    this.canRetry = true;
    this.bytes = 0;
    this.#isAhead = false;
    try {
      const begun = await api.imports.begin.mutate({ site_id, ...this.#chosen(found) });
      this.begun = begun;
      this.stored = begun.parts;
      this.#isAhead = begun.parts === 0;
      if (sealed) return await this.#sendSealed(sealed, { found, begun }, isOld);
      for (let part = begun.parts; !isOld(); part += 1) {
        const rows = await this.#reader?.ask('part', { part });
        if (isOld()) return;
        if (!rows) return await this.#finish(found, begun);
        this.#isAhead = true;
        const bytes = this.#bytesRead;
        await api.imports.add.mutate({ site_id, id: begun.id, part, ...rows });
        this.stored = part + 1;
        this.bytes = bytes;
      }
    } catch (error) {
      if (!isOld()) this.trouble = problem(error);
    }
  }

  async #sendSealed(
    sealed: Sealed,
    { found, begun }: { found: Found; begun: Import },
    isOld: () => boolean,
  ): Promise<void> {
    const last = await sendSealed(sealed, {
      site_id: this.#site().siteId,
      id: begun.id,
      from: begun.parts,
      onStored: (part, end) => {
        this.stored = part + 1;
        this.bytes = end;
        return !isOld();
      },
    });
    if (last && !isOld()) await this.#finish(found, begun, last);
  }

  async #finish(found: Found, { id }: Import, last?: { keys: string; frame: string }): Promise<void> {
    this.isFinishing = true;
    try {
      const days = { replaced: [...this.replaced], keeps_others: this.overOthers === 'keep' };
      const given = { site_id: this.#site().siteId, id, ...days, not_taken: found.reasons, last };
      const done = await api.imports.finish.mutate(given);
      this.#reset();
      this.#onChange(done);
    } finally {
      this.isFinishing = false;
    }
  }
}
