// The operator's commands for the stores: their state, backups, checks, and what fills them.
import { resolve } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import {
  account,
  command,
  type Command,
  type Context,
  domain,
  passwordStdin,
  type Running,
  wholeNumber,
} from './command-line.ts';
import { FORMAT_NAMES } from '../vocabulary/imports/formats/formats.ts';
import { message, t } from '../vocabulary/habits/messages.ts';
import { readDay } from '../vocabulary/time/time.ts';
import { withDirectory, withSite } from './open-directory.ts';
import type { OperationName } from './operations.ts';
import type { Verified } from './verify.ts';

const backupPlace = z.string().meta({ value: 'FOLDER|s3://BUCKET' });
/** The server that makes a backup may run in another folder. */
const absolute = (place: string) => (place.includes('://') ? place : resolve(place));

export const storeCommands: Command[] = [
  command('status', {
    summary: message('Show how many events are waiting to be stored, since when, and how many the event store refused'),
    onlyReads: true,
    options: z.object({}),
    run: (_options, context) => operateOn('status', {}, context),
  }),
  command('replay', {
    summary: message('Retry the events that the event store refused, once the cause is fixed'),
    options: z.object({}),
    run: (_options, context) => operateOn('replay', {}, context),
  }),
  command('backup', {
    summary: message('Make a backup while the server runs; writes what earlier backups in the same place lack'),
    options: z.object({
      to: backupPlace.describe(message('A folder of its own, or S3-compatible storage such as s3://bucket/prefix')),
      keep: wholeNumber(100_000)
        .optional()
        .meta({ value: 'N' })
        .describe(message('How many of the newest backups to keep; all if not given')),
      running: z
        .boolean()
        .optional()
        .describe(message('Refuse if no server is running, instead of opening its stores')),
    }),
    run: ({ to, keep, running }, context) =>
      operateOn('backup', { to: absolute(to), keep }, { ...context, onlyRunning: running }),
  }),
  command('restore', {
    summary: message('Fill a new DATA_DIR, or new databases, from a backup'),
    options: z.object({
      from: backupPlace.describe(message('Where "backup" wrote to')),
      at: z.iso
        .datetime({ error: message('{option} must be a time such as 2026-12-31T12:00:00Z.') })
        .optional()
        .meta({ value: 'ISO' })
        .describe(message('The last backup made by this time; the newest if not given')),
    }),
    run: async ({ from, at }, { config, now }) => {
      const { openPlace } = await import('./backup-place.ts');
      const { restoreBackup } = await import('./restore.ts');
      const { progressBar } = await import('./progress-bar.ts');
      const place = await openPlace(absolute(from), config);
      return restoreBackup(config, { place, at }, { now, onProgress: progressBar(process.stderr) });
    },
  }),
  command('verify', {
    summary: message('Compare the stores with each other; exits with 1 and says what differs, if anything does'),
    onlyReads: true,
    options: z.object({}),
    run: async (_options, context) => {
      const { differences, ...counts } = (await operateOn('verify', {}, context)) as Verified;
      if (differences.length === 0) return counts;
      const lines = differences.map(({ text }) => `- ${text}`);
      throw new Refusal('bad_request', [t('The stores differ:'), ...lines].join('\n'));
    },
  }),
  command('import access-log', {
    summary: message('Import the page requests of an access log, as it is, gz or zst; continues where it stopped'),
    positionals: ['file'],
    options: z.object({
      file: z.string().describe(message('Log of a web server; docs/moving-here.md has its formats')),
      site: domain,
    }),
    run: ({ file, site }, context) =>
      operateOnSite('import', { file: resolve(file), domain: site }, context, named(site, context)),
  }),
  command('import list', {
    summary: message('List the imports of a site, the latest first'),
    onlyReads: true,
    options: z.object({ site: domain }),
    run: ({ site }, context) => operateOn('imports', { domain: site }, context),
  }),
  command('import remove', {
    summary: message('Take an import out of all numbers, and its rows out of the stores'),
    options: z.object({
      id: z.string().meta({ value: 'ID' }).describe(message('Id of the import, as "import list" shows it')),
    }),
    run: async ({ id }, context) => {
      const find = () =>
        withDirectory(context, async (directory) => {
          const { siteOfImport } = await import('../sites/import-list.ts');
          const { id: site_id } = await siteOfImport(directory, id);
          Object.assign(context.touched, { site_id, import_id: id });
        });
      const result = await operateOnSite('remove-import', { id }, context, find);
      context.touched.import_id = id;
      return result;
    },
  }),
  command('import', {
    summary: message(
      'Import the files of another product’s export, or access logs, zipped or not; continues where it stopped',
    ),
    positionals: ['file'],
    options: z.object({
      file: z
        .array(z.string())
        .min(1)
        .describe(message('Files of one export; what they are is recognised by their content')),
      site: domain,
      as: z
        .enum(FORMAT_NAMES)
        .optional()
        .meta({ value: 'FORMAT' })
        .describe(message('Format, if it is not recognised')),
      'dry-run': z.boolean().optional().describe(message('Only say what the files hold')),
      overlap: z
        .enum(['replace', 'keep'])
        .optional()
        .describe(message('Which import counts for days that an earlier one has: this one, or the earlier one')),
      'replace-counted': z
        .string()
        .refine(
          (text) => text === 'all' || text.split(',').every((day) => readDay(day) !== undefined),
          message('{option} must be "all", or days such as 2026-12-30,2026-12-31.'),
        )
        .optional()
        .meta({ value: 'DAY,…|all' })
        .describe(
          message('Days for which daily totals count instead of what was counted here; never days with payments'),
        ),
    }),
    run: ({ file, site, as, overlap, 'dry-run': dryRun = false, 'replace-counted': counted }, context) => {
      const replaceCounted = counted === 'all' ? counted : counted?.split(',');
      const files = file.map((path) => resolve(path));
      const options = { files, domain: site, as, dryRun, overlap, replaceCounted };
      return operateOnSite('import-files', options, context, named(site, context));
    },
  }),
  command('seed', {
    summary: message(
      'Create a demo site with realistic traffic, the same each time, and a second one for its documentation',
    ),
    options: z.object({
      domain: domain.default('demo.example').meta({ value: 'DOMAIN' }).describe(message('Domain of the demo site')),
      days: wholeNumber(3_650).default(90).meta({ value: 'N' }).describe(message('Days of traffic, up to now')),
      visits: wholeNumber(1_000_000).default(400).meta({ value: 'N' }).describe(message('Visits on an ordinary day')),
      account: account
        .default('demo@example.com')
        .meta({ value: 'EMAIL' })
        .describe(message('E-mail address of the account’s owner; a missing account is created')),
      password: z
        .string()
        .optional()
        .describe(message('Password of a new account; by default a random one is generated and printed')),
      'password-stdin': passwordStdin,
      live: z
        .boolean()
        .optional()
        .describe(message('Visitors go on coming while the server runs, until counting is paused in the settings')),
    }),
    run: (options, context) => operateOn('seed', options, context),
  }),
];

async function operateOn(
  name: OperationName,
  options: unknown,
  { config, now, onlyRunning }: Context & { onlyRunning?: boolean | undefined },
): Promise<unknown> {
  const { operate } = await import('./run-operation.ts');
  const { progressBar } = await import('./progress-bar.ts');
  return operate(name, options, { config, now, onlyRunning, onProgress: progressBar(process.stderr) });
}

/** For operations that say which site they were about. `find`: notes it for one that was refused. */
async function operateOnSite(
  name: OperationName,
  options: unknown,
  context: Running,
  find: () => Promise<void>,
): Promise<unknown> {
  try {
    const { site_id, ...result } = (await operateOn(name, options, context)) as { site_id: string };
    context.touched.site_id = site_id;
    return result;
  } catch (error) {
    await find().catch(() => undefined); // there may be no such site
    throw error;
  }
}

/** Finds the site of a domain. */
const named = (site: string, context: Running) => () => withSite(site, context, () => Promise.resolve());
