// The operator's commands for accounts, their sites and their keys.
import { z } from 'zod';
import { billingOf, ownOrigin } from '../config.ts';
import type { Entry } from '../accounts/account-log.ts';
import type { Member } from '../accounts/people/people.ts';
import type { Standing } from '../accounts/billing/plans.ts';
import type { Directory } from '../directory/open.ts';
import { type Account, STATUSES } from '../directory/schema.ts';
import type { Site } from '../sites/sites.ts';
import { isoOf } from '../vocabulary/time/time.ts';
import { message } from '../vocabulary/habits/messages.ts';
import { PLANS } from '../vocabulary/accounts/plans.ts';
import { account, command, type Command, type Context, domain, instant, passwordStdin } from './command-line.ts';
import { mailOf } from './mail-commands.ts';
import { accountIdOf, withDirectory, withSite } from './open-directory.ts';

const timezone = z
  .string()
  .optional()
  .meta({ value: 'ZONE' })
  .describe(message('Time zone of the site, such as Europe/Berlin; UTC by default'));
const plan = z.enum(PLANS);
const status = z.enum(STATUSES);

export const accountCommands: Command[] = [
  command('account create', {
    summary: message('Create an account that is active, without a trial'),
    options: z.object({
      email: account.describe(message('E-mail address to log in with')),
      password: z
        .string()
        .describe(message('Password to log in with, 8 to 128 characters; other users of this machine can see it')),
      'password-stdin': passwordStdin,
      plan: plan.describe(message('Plan of the account')),
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
    summary: message('Remove the second factor of somebody who cannot log in any more; the password stays'),
    options: z.object({ email: account.describe(message('E-mail address of the person')) }),
    run: ({ email }, context) =>
      withDirectory(context, async (directory) => {
        const { resetFactors } = await import('../accounts/sign-in/factors/second-factor.ts');
        const { userId, removed } = await resetFactors(directory, email);
        context.touched.user_id = userId;
        return { email, removed };
      }),
  }),
  command('account reset-link', {
    summary: message('Create a link to a new password, valid for an hour and once'),
    options: z.object({ email: account.describe(message('E-mail address of the person who forgot the password')) }),
    run: ({ email }, context) =>
      withDirectory(context, async (directory) => {
        const { makeResetLink } = await import('../accounts/sign-in/passwords/password-reset.ts');
        const { token, userId } = await makeResetLink(directory, email, context.now);
        context.touched.user_id = userId;
        return { link: `${ownOrigin(context.config)}/reset/${token}` };
      }),
  }),
  command('account email', {
    summary: message('Change the e-mail address of somebody who cannot read the old mailbox; logs them out everywhere'),
    options: z.object({
      email: account.describe(message('E-mail address that the person logs in with now')),
      to: z.string().meta({ value: 'EMAIL' }).describe(message('E-mail address that the person will log in with')),
    }),
    run: ({ email, to }, context) =>
      withDirectory(context, async (directory) => {
        const { changeEmailByOperator } = await import('../accounts/people/email-change.ts');
        const parts = { directory, mail: await mailOf(directory, context) };
        const changed = await changeEmailByOperator(parts, { from: email, to }, context.now);
        context.touched.user_id = changed.userId;
        return { email: changed.to, was: changed.from };
      }),
  }),
  command('site create', {
    summary: message('Add a site to an account'),
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
    summary: message('Create an API key, which is shown once'),
    options: z.object({ account, name: z.string().describe(message('Name to recognise the key by')) }),
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
    summary: message('Show the API keys of an account, and when each was last used'),
    onlyReads: true,
    options: z.object({ account }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { listKeys } = await import('../accounts/keys.ts');
        const keys = await listKeys(directory, await accountIdOf(directory, options.account, context));
        return {
          keys: keys.map(({ id, name, prefix, created_at, last_used_at }) => ({
            id,
            name,
            prefix,
            created_at: isoOf(created_at),
            last_used_at: isoOf(last_used_at),
          })),
        };
      }),
  }),
  command('key revoke', {
    summary: message('Revoke an API key permanently, within two seconds'),
    options: z.object({
      account,
      id: z.string().meta({ value: 'ID' }).describe(message('Id of the key, from "key list"')),
    }),
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
    summary: message('Create an ingest token for a site, which is shown once'),
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
  command('plan set', {
    summary: message('Set the plan and the status of an account'),
    options: z.object({
      account,
      plan: plan.optional().describe(message('Plan of the account')),
      status: status.optional().describe(message('Status of the account')),
      until: instant
        .optional()
        .meta({ value: 'ISO' })
        .describe(message('End of the trial or of the paid period, as ISO 8601')),
    }),
    run: (options, context) =>
      withDirectory(context, async (directory) => {
        const { setPlan } = await import('../accounts/billing/plans.ts');
        const { plan, status, until } = options;
        const accountId = await accountIdOf(directory, options.account, context);
        const account = await setPlan(directory, { accountId, plan, status, until }, context.now);
        return shown(account, options.account, await standingOf(account, context));
      }),
  }),
  command('list', {
    summary: message('Show all accounts with their people and sites'),
    onlyReads: true,
    options: z.object({}),
    run: (_options, context) =>
      withDirectory(context, async (directory) => {
        const { listAccounts } = await import('../accounts/accounts.ts');
        const { listMembers } = await import('../accounts/people/people.ts');
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
];

export async function logByOperator(
  { db }: Directory,
  entry: Omit<Entry, 'actor' | 'user_id'>,
  { now }: Pick<Context, 'now'>,
): Promise<void> {
  const { logAction } = await import('../accounts/account-log.ts');
  await logAction(db, { ...entry, actor: 'operator' }, now);
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
    email,
    role,
    joined_at: isoOf(joinedAt),
    sites: siteIds && sites.filter(({ id }) => siteIds.includes(id)).map(({ domain: named }) => named),
  }));
}

/** Ignores BILLING=off, to show the plan that was given to the account, and not what it may currently do. */
async function standingOf(account: Account, { config, now }: Context): Promise<Standing> {
  const { effectivePlan } = await import('../accounts/billing/plans.ts');
  return effectivePlan(account, now, { billing: billingOf(config) === 'on' ? 'on' : 'unset' });
}
