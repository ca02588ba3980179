// The operations that need the server's stores, as a table. The running server executes them (see control-socket.ts). If no server is
// running, the command line does it itself (see run-operation.ts).
import { basename } from 'node:path';
import { z } from 'zod';
import type { App } from '../app.ts';
import { openDirectoryLease } from '../jobs/lease.ts';
import { Refusal } from '../errors.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { FORMAT_NAMES } from '../vocabulary/imports/formats/formats.ts';
import type { Progress } from './progress.ts';

export type Run = {
  now: number;
  onProgress(progress: Progress): void;
  /** Aborts when the operator interrupts the command or the server stops. Running the command again continues from there. */
  signal: AbortSignal;
};

type Operation = (app: App, options: unknown, run: Run) => Promise<unknown>;

function operation<Options extends z.ZodObject>(
  options: Options,
  run: (app: App, options: z.output<Options>, run: Run) => Promise<unknown>,
): Operation {
  return (app, given, running) => run(app, options.parse(given), running);
}

/** Only command names and ids, because this is logged. */
const noted = z.object({
  command: z.string().regex(/^[a-z -]{1,40}$/),
  outcome: z.enum(['done', 'refused']),
  ...Object.fromEntries(
    ['account_id', 'site_id', 'key_id', 'token_id', 'link_id', 'import_id', 'user_id'].map((name) => [
      name,
      z
        .string()
        .regex(/^\w{1,40}$/)
        .optional(),
    ]),
  ),
});

async function siteNamed({ directory }: App['services'], domain: string): Promise<Site> {
  const site = await siteByDomain(directory, domain);
  if (!site)
    throw new Refusal('not_found', t('There is no site {domain}: create it first, with "site create".', { domain }));
  return site;
}

/** As the dashboard's imports are logged, with the operator in place of a person. The security log has the command. */
async function logImport(
  { directory, now }: App['services'],
  { action, site, file }: { action: 'history_imported' | 'import_removed'; site: Site; file: string },
): Promise<void> {
  const { logByOperator } = await import('./account-commands.ts');
  const { account_id, domain } = site;
  await logByOperator(directory, { action, account_id, name: file, domain }, { now: now() });
}

/** `site_id` in a result is for the security log: the command takes it out of what it prints. */
const OPERATIONS = {
  /** Writes a command that ran outside the server to the security log. */
  note: operation(noted, (app, says) => Promise.resolve(app.services.security.note('command', says))),
  import: operation(z.object({ file: z.string(), domain: z.string() }), async (app, options, run) => {
    const { importAccessLog } = await import('../collect/doors/import-log.ts');
    const { openMemoryWindows } = await import('../live/memory.ts');
    const { knownIds } = await import('../store/existing-events.ts');
    const { onProgress, signal, now } = run;
    const site = await siteNamed(app.services, options.domain);
    const result = await importAccessLog(
      {
        directory: app.services.directory,
        geo: app.geo,
        windows: openMemoryWindows(),
        record: app.collector.record,
        knownIds: (recorded) => knownIds(app.store, recorded),
      },
      { ...options, onProgress, signal },
      now,
    );
    if (!result.already_imported)
      await logImport(app.services, { action: 'history_imported', site, file: basename(options.file) });
    return { site_id: site.id, ...result };
  }),
  'import-files': operation(
    z.object({
      files: z.array(z.string()),
      domain: z.string(),
      as: z.enum(FORMAT_NAMES).optional(),
      dryRun: z.boolean(),
      overlap: z.enum(['replace', 'keep']).optional(),
      replaceCounted: z.union([z.literal('all'), z.array(z.iso.date())]).optional(),
    }),
    async ({ services }, { domain, dryRun: isDryRun, ...given }, run) => {
      const { importFiles } = await import('./import-files.ts');
      const site = await siteNamed(services, domain);
      const onBegun = ({ file }: { file: string }) => logImport(services, { action: 'history_imported', site, file });
      const result = await importFiles(services.importing, { ...given, site, isDryRun, onBegun }, run);
      return { site_id: site.id, ...result };
    },
  ),
  imports: operation(z.object({ domain: z.string() }), async ({ services }, { domain }) => {
    const { listImports, toPublicImport } = await import('../sites/import-list.ts');
    return (await listImports(services.directory, (await siteNamed(services, domain)).id)).map(toPublicImport);
  }),
  'remove-import': operation(z.object({ id: z.string() }), async ({ services }, { id }) => {
    const { siteOfImport } = await import('../sites/import-list.ts');
    const site = await siteOfImport(services.directory, id);
    const onBegun = ({ file }: { file: string }) => logImport(services, { action: 'import_removed', site, file });
    await services.importing.remove({ siteId: site.id, id, onBegun });
    return { site_id: site.id, removed: id };
  }),
  stats: operation(z.looseObject({ domain: z.string() }), async (app, asked, { now, signal }) => {
    const { siteNumbers } = await import('../api/rest/site-numbers.ts');
    return siteNumbers(app.services, asked, { now, signal });
  }),
  status: operation(z.object({}), async (app) => {
    const { waiting, oldestAt, buried } = await app.queue.status();
    const newer = await app.services.releases.newer();
    const queue = { waiting, oldest_at: oldestAt === undefined ? null : new Date(oldestAt).toISOString(), buried };
    return { ...queue, ...(newer && { newer_release: newer.version }) };
  }),
  replay: operation(z.object({}), async (app, _options, { now }) => ({ replayed: await app.queue.replay(now) })),
  backup: operation(z.object({ to: z.string(), keep: z.number().optional() }), async (app, { to, keep }, run) => {
    const { makeBackup } = await import('./backup.ts');
    const { openPlace } = await import('./backup-place.ts');
    const { services, store, queue, writer } = app;
    const { directory, config, now } = services;
    const lease = openDirectoryLease(directory, { name: 'backup', now });
    const parts = { directory, store, queue, writer, lease, dataDir: config.DATA_DIR };
    return makeBackup(parts, { place: await openPlace(to, config), keep }, run);
  }),
  verify: operation(z.object({}), async (app, _options, run) => {
    const { verifyStores } = await import('./verify.ts');
    const { services, store, queue, writer } = app;
    return verifyStores({ directory: services.directory, store, queue, writer }, run);
  }),
  seed: operation(
    z.object({
      domain: z.string(),
      days: z.number(),
      visits: z.number(),
      account: z.string(),
      password: z.string().optional(),
      live: z.boolean().optional(),
    }),
    async (app, options, run) => {
      const { seedSite } = await import('./seed/demo.ts');
      const { directory, windows, mail, config } = app.services;
      return seedSite({ directory, windows, mail, config, store: app.store }, options, run);
    },
  ),
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

export function runOperation(name: OperationName, app: App, options: unknown, run: Run): Promise<unknown> {
  return OPERATIONS[name](app, options, run);
}
