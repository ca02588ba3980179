// The operator's command line: `npm run manage -- account create …`. It works on the configured stores, even while the server runs. The
// last line on stdout is the result as JSON, except for what is drawn for people. Errors are sentences on stderr.
import { appendFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import {
  command,
  type Command,
  type Context,
  domain,
  helpOf,
  overview,
  readOptions,
  Text,
  type Touched,
  Usage,
  wholeNumber,
} from './command-line.ts';
import { goalCommands } from './goal-commands.ts';
import { accountIdOf, withDirectory, withSite } from './open-directory.ts';
import { statsCommand } from './stats-command.ts';
import { billingOf, ConfigError, ownOrigin, readEnvironment } from '../config.ts';
import { prepareDataFolder, SECURITY_FILE } from '../data-folder.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { openLog } from '../log.ts';
import type { OperationName } from './operations.ts';
import type { Verified } from './verify.ts';
import type { Entry } from '../accounts/account-log.ts';
import type { Member } from '../accounts/people.ts';
import type { Standing } from '../accounts/plans.ts';
import type { Directory } from '../directory/open.ts';
import type { Mail } from '../mail/mail.ts';
import { type Account, STATUSES } from '../directory/schema.ts';
import { openSecurityLog, type SecurityEvents } from '../security-log.ts';
import type { Site } from '../sites/sites.ts';
import { PLANS } from '../vocabulary/plans.ts';

export { Usage };

const timezone = z
  .string()
  .optional()
  .meta({ value: 'ZONE' })
  .describe('Time zone of the site, such as Europe/Berlin; UTC by default');
const account = z.string().meta({ value: 'EMAIL' }).describe('E-mail address of the account’s owner');
/** Arguments end up in the shell's history and in the process list, which all users can read. */
const passwordStdin = z.boolean().optional().describe('Read the password from a line of standard input instead');
const backupPlace = z.string().meta({ value: 'FOLDER|s3://BUCKET' });
/** The server that makes a backup may run in another folder. */
const absolute = (place: string) => (place.includes('://') ? place : resolve(place));
const plan = z.enum(PLANS);
const status = z.enum(STATUSES);
const instant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2026-12-31 or 2026-12-31T12:00:00Z')
  .transform((text) => Date.parse(text));

export const COMMANDS: Command[] = [
  command('account create', {
    summary: 'Create an account that is active, without a trial',
    options: z.object({
      email: account.describe('E-mail address to log in with'),
      password: z
        .string()
        .describe('Password to log in with, 8 to 128 characters; other users of this machine can see it'),
      'password-stdin': passwordStdin,
      plan: plan.describe('Plan of the account'),
    }),
    run: ({ email, password, plan }, context) =>
      withDirectory(context, async (directory) => {
        const { createAccount } = await import('../accounts/accounts.ts');
        const made = await createAccount(directory, { email, password, plan, status: 'active' }, context.now);
        context.touched.account_id = made.account.id;
        return shown(made.account, made.user.email, await standingOf(made.account, context));
      }),
  }),
  command('account factor-reset', {
    summary: 'Remove the second factor of somebody who cannot log in any more; the password stays',
    options: z.object({ email: account.describe('E-mail address of the person') }),
    run: ({ email }, context) =>
      withDirectory(context, async (directory) => {
        const { resetFactors } = await import('../accounts/second-factor.ts');
        const { userId, removed } = await resetFactors(directory, email);
        context.touched.user_id = userId;
        return { email, removed };
      }),
  }),
  command('account reset-link', {
    summary: 'Create a link to a new password, valid for an hour and once',
    options: z.object({ email: account.describe('E-mail address of the person who forgot the password') }),
    run: ({ email }, context) =>
      withDirectory(context, async (directory) => {
        const { makeResetLink } = await import('../accounts/password-reset.ts');
        const { token, userId } = await makeResetLink(directory, email, context.now);
        context.touched.user_id = userId;
        return { link: `${ownOrigin(context.config)}/reset/${token}` };
      }),
  }),
  command('account email', {
    summary: 'Change the e-mail address of somebody who cannot read the old mailbox; logs them out everywhere',
    options: z.object({
      email: account.describe('E-mail address that the person logs in with now'),
      to: z.string().meta({ value: 'EMAIL' }).describe('The new one'),
    }),
    run: ({ email, to }, context) =>
      withDirectory(context, async (directory) => {
        const { changeEmailByOperator } = await import('../accounts/email-change.ts');
        const parts = { directory, mail: await mailOf(directory, context) };
        const changed = await changeEmailByOperator(parts, { from: email, to }, context.now);
        context.touched.user_id = changed.userId;
        return { email: changed.to, was: changed.from };
      }),
  }),
  command('site create', {
    summary: 'Add a site to an account',
    options: z.object({ account, domain, timezone }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { createSite, toPublicSite } = await import('../sites/sites.ts');
        const accountId = await accountIdOf(directory, options.account, context);
        const wish = { accountId, domain: options.domain, timezone: options.timezone };
        const site = await createSite(directory, wish, context.now);
        context.touched.site_id = site.id;
        const about = { action: 'site_made', account_id: accountId, domain: site.domain } as const;
        await logByOperator(directory, about, context);
        return toPublicSite(site, context.now);
      }),
  }),
  command('key create', {
    summary: 'Create an API key, which is shown once',
    options: z.object({ account, name: z.string().describe('Name to recognise the key by') }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { createKey } = await import('../accounts/keys.ts');
        const accountId = await accountIdOf(directory, options.account, context);
        const { id, key } = await createKey(directory, { accountId, name: options.name }, context.now);
        context.touched.key_id = id;
        await logByOperator(directory, { action: 'key_made', account_id: accountId, name: options.name }, context);
        return { key };
      }),
  }),
  command('key list', {
    summary: 'Show the API keys of an account, and when each was last used',
    onlyReads: true,
    options: z.object({ account }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { listKeys } = await import('../accounts/keys.ts');
        const keys = await listKeys(directory, await accountIdOf(directory, options.account, context));
        return {
          keys: keys.map(({ id, name, prefix, created_at, last_used_at }) => ({
            ...{ id, name, prefix },
            created_at: isoOf(created_at),
            last_used_at: isoOf(last_used_at),
          })),
        };
      }),
  }),
  command('key revoke', {
    summary: 'Revoke an API key permanently, within two seconds',
    options: z.object({ account, id: z.string().meta({ value: 'ID' }).describe('Id of the key, from "key list"') }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { revokeKey } = await import('../accounts/keys.ts');
        const accountId = await accountIdOf(directory, options.account, context);
        context.touched.key_id = options.id;
        const { name } = await revokeKey(directory, { accountId, keyId: options.id }, context.now);
        await logByOperator(directory, { action: 'key_revoked', account_id: accountId, name }, context);
        return { revoked: options.id };
      }),
  }),
  command('ingest-token create', {
    summary: 'Create an ingest token for a site, which is shown once',
    options: z.object({ site: domain }),
    run: ({ site }, context) =>
      withSite(site, context, async (directory, { id: siteId, account_id, domain }) => {
        const { createIngestToken } = await import('../sites/ingest.ts');
        const { id, token, prefix } = await createIngestToken(directory, { siteId }, context.now);
        context.touched.token_id = id;
        const about = { action: 'ingest_token_made', account_id, name: prefix, domain } as const;
        await logByOperator(directory, about, context);
        return { token };
      }),
  }),
  ...goalCommands,
  command('plan set', {
    summary: 'Set the plan and the status of an account',
    options: z.object({
      account,
      plan: plan.optional().describe('Plan of the account'),
      status: status.optional().describe('Status of the account'),
      until: instant.optional().meta({ value: 'ISO' }).describe('End of the trial or of the paid period, as ISO 8601'),
    }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { setPlan } = await import('../accounts/plans.ts');
        const { plan, status, until } = options;
        const accountId = await accountIdOf(directory, options.account, context);
        const account = await setPlan(directory, { accountId, plan, status, until }, context.now);
        return shown(account, options.account, await standingOf(account, context));
      }),
  }),
  command('list', {
    summary: 'Show all accounts with their people and sites',
    onlyReads: true,
    options: z.object({}),
    run: (_options, context) =>
      withDirectory(context, async (directory) => {
        const { listAccounts } = await import('../accounts/accounts.ts');
        const { listMembers } = await import('../accounts/people.ts');
        const { listSites, toPublicSite } = await import('../sites/sites.ts');
        const accounts = [];
        for (const each of await listAccounts(directory)) {
          const sites = await listSites(directory, each.id);
          const publicSites = sites.map((site) => toPublicSite(site, context.now));
          const standing = await standingOf(each, context);
          // The current status: an ended trial shows as expired.
          accounts.push({
            ...shown(each, each.emails[0] ?? '', standing),
            status: standing.status,
            members: shownMembers(await listMembers(directory, each.id), sites),
            sites: publicSites,
          });
        }
        return { accounts };
      }),
  }),
  command('mail test', {
    summary: 'Send a test mail at once, and show what the mail server answers',
    onlyReads: true,
    options: z.object({ to: z.string().meta({ value: 'EMAIL' }).describe('Where to send it') }),
    run: ({ to }, context) =>
      withDirectory(context, async (directory) => {
        const { normaliseEmail } = await import('../accounts/accounts.ts');
        const mail = await mailOf(directory, context);
        return { answer: await mail.sendTest(normaliseEmail(to)) };
      }),
  }),
  command('mail log', {
    summary: 'Show the last mails: to whom, when, and what the mail server answered',
    onlyReads: true,
    options: z.object({
      last: wholeNumber(10_000).default(100).meta({ value: 'N' }).describe('How many, newest first'),
    }),
    run: ({ last }, context) =>
      withDirectory(context, async (directory) => {
        const { listMails } = await import('../mail/queue.ts');
        const mails = await listMails(directory, last);
        return {
          mails: mails.map(({ kind, recipient, state, attempts, answer, ...mail }) => ({
            ...{ kind, to: recipient, state, attempts, answer },
            created_at: isoOf(mail.created_at),
            next_attempt_at: state === 'waiting' ? isoOf(mail.due_at) : null,
            ended_at: isoOf(mail.ended_at),
          })),
        };
      }),
  }),
  statsCommand,
  command('status', {
    summary: 'Show how many events are waiting to be stored, since when, and how many the event store refused',
    onlyReads: true,
    options: z.object({}),
    run: (_options, context) => operateOn('status', {}, context),
  }),
  command('replay', {
    summary: 'Retry the events that the event store refused, once the cause is fixed',
    options: z.object({}),
    run: (_options, context) => operateOn('replay', {}, context),
  }),
  command('backup', {
    summary: 'Make a backup while the server runs; writes what earlier backups in the same place lack',
    options: z.object({
      to: backupPlace.describe('A folder of its own, or S3-compatible storage such as s3://bucket/prefix'),
      keep: wholeNumber(100_000)
        .optional()
        .meta({ value: 'N' })
        .describe('How many of the newest backups to keep; all if not given'),
      running: z.boolean().optional().describe('Refuse if no server is running, instead of opening its stores'),
    }),
    run: ({ to, keep, running }, context) =>
      operateOn('backup', { to: absolute(to), keep }, { ...context, onlyRunning: running }),
  }),
  command('restore', {
    summary: 'Fill a new DATA_DIR, or new databases, from a backup',
    options: z.object({
      from: backupPlace.describe('Where "backup" wrote to'),
      at: z.iso
        .datetime({ error: 'must be a time such as 2026-12-31T12:00:00Z' })
        .optional()
        .meta({ value: 'ISO' })
        .describe('The last backup made by this time; the newest if not given'),
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
    summary: 'Compare the stores with each other; exits with 1 and says what differs, if anything does',
    onlyReads: true,
    options: z.object({}),
    run: async (_options, context) => {
      const { differences, ...counts } = (await operateOn('verify', {}, context)) as Verified;
      if (differences.length === 0) return counts;
      const lines = differences.map(({ text }) => `- ${text}`);
      throw new Refusal('bad_request', ['The stores differ:', ...lines].join('\n'));
    },
  }),
  command('import access-log', {
    summary: 'Import the page requests of an access log, gzipped or not; continues where it stopped',
    positionals: ['file'],
    options: z.object({
      file: z.string().describe('Log of Apache httpd or nginx in the combined format'),
      site: domain,
    }),
    run: ({ file, site }, context) => operateOn('import', { file: resolve(file), domain: site }, context),
  }),
  command('seed', {
    summary: 'Create a demo site with realistic traffic, the same each time',
    options: z.object({
      domain: domain.default('demo.example').meta({ value: 'DOMAIN' }).describe('Domain of the demo site'),
      days: wholeNumber(3_650).default(90).meta({ value: 'N' }).describe('Days of traffic, up to now'),
      visits: wholeNumber(1_000_000).default(400).meta({ value: 'N' }).describe('Visits on an ordinary day'),
      account: account
        .default('demo@example.com')
        .meta({ value: 'EMAIL' })
        .describe('E-mail address of the account’s owner; a missing account is created'),
      password: z
        .string()
        .optional()
        .describe('Password of a new account; by default a random one is generated and printed'),
      'password-stdin': passwordStdin,
    }),
    run: (options, context) => operateOn('seed', options, context),
  }),
];

async function mailOf(directory: Directory, { config, now }: Context): Promise<Mail> {
  const { openMail } = await import('../mail/mail.ts');
  return openMail({ directory, config, now: () => now, log: openLog(config.LOG_LEVEL) });
}

async function logByOperator(
  { db }: Directory,
  entry: Omit<Entry, 'actor' | 'user_id'>,
  { now }: Context,
): Promise<void> {
  const { logAction } = await import('../accounts/account-log.ts');
  await logAction(db, { ...entry, actor: 'operator' }, now);
}

async function operateOn(
  name: OperationName,
  options: unknown,
  { config, now, onlyRunning }: Context & { onlyRunning?: boolean | undefined },
): Promise<unknown> {
  const { operate } = await import('./run-operation.ts');
  const { progressBar } = await import('./progress-bar.ts');
  return operate(name, options, { config, now, onlyRunning, onProgress: progressBar(process.stderr) });
}

function shown(account: Account, email: string, { endsAt }: Pick<Standing, 'endsAt'>) {
  return {
    id: account.id,
    email: email.trim().toLowerCase(),
    plan: account.plan,
    status: account.status,
    until: isoOf(endsAt),
  };
}

/** `sites`: the domains that a viewer may see; null for all sites of the account. */
function shownMembers(members: readonly Member[], sites: readonly Pick<Site, 'id' | 'domain'>[]) {
  return members.map(({ email, role, joinedAt, siteIds }) => ({
    ...{ email, role, joined_at: isoOf(joinedAt) },
    sites: siteIds && sites.filter(({ id }) => siteIds.includes(id)).map(({ domain: named }) => named),
  }));
}

/** Ignores BILLING=off, to show the plan that was given to the account, and not what it may currently do. */
async function standingOf(account: Account, { config, now }: Context): Promise<Standing> {
  const { effectivePlan } = await import('../accounts/plans.ts');
  return effectivePlan(account, now, { billing: billingOf(config) === 'on' ? 'on' : 'unset' });
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Finds the command, checks its options and runs it. Throws a Usage for wrong arguments. */
export async function manage(args: string[], context: Context): Promise<unknown> {
  const row = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => args[n] === word));
  const rest = args.slice(row?.name.split(' ').length ?? 0);
  if (args.length === 0 || rest.includes('--help') || rest.includes('-h'))
    return { help: row ? helpOf(row) : overview(COMMANDS) };
  if (!row) throw new Usage(`There is no command "${args.filter((arg) => !arg.startsWith('-')).join(' ')}".`);
  const options = await readOptions(row, rest);
  const touched: Touched = {};
  const outcome = await row.run(options, { ...context, touched }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  const said = { command: row.name, outcome: 'error' in outcome ? 'refused' : 'done', ...touched } as const;
  if (!row.onlyReads) await noteCommand(said, context);
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/**
 * Lets the running server write the line to its security log, where operators look for it. Without a running server, the line goes to a
 * file in DATA_DIR. If it cannot be written, the command still succeeds, and says so.
 */
async function noteCommand(said: SecurityEvents['command'], { config, now, say }: Context): Promise<void> {
  const { askServer } = await import('./control-socket.ts');
  const told = await askServer(config.DATA_DIR, 'note', said, () => undefined).catch(() => undefined);
  if (told) return;
  try {
    await prepareDataFolder(config.DATA_DIR);
    let line = '';
    const log = openLog('info', { write: (text) => (line += text) });
    openSecurityLog({ log, now: () => now }).note('command', said);
    await appendFile(join(config.DATA_DIR, SECURITY_FILE), line, { mode: 0o600 });
  } catch (error) {
    if (said.outcome === 'done')
      say(`The command is done, but its line could not be written to ${SECURITY_FILE} in DATA_DIR: ${String(error)}`);
  }
}

async function main(): Promise<void> {
  process.umask(0o077); // as the server does
  try {
    const say = (text: string) => void process.stderr.write(`${text}\n`);
    const result = await manage(process.argv.slice(2), { config: readEnvironment(), now: Date.now(), say });
    const help = typeof result === 'object' && result !== null && 'help' in result ? String(result.help) : undefined;
    const text = result instanceof Text ? result.text : help;
    if (result !== undefined) process.stdout.write(`${text ?? JSON.stringify(result)}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${sentenceOf(error)}\n`);
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Usage) return `${error.message} See --help.`;
  if (error instanceof ConfigError || error instanceof Refusal) return error.message;
  if (error instanceof Unavailable)
    return `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error); // a bug of ours: fixing it needs the stack
}

if (import.meta.main) await main();
