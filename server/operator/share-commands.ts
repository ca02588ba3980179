// The operator's commands for share links.
import { z } from 'zod';
import { problemOf } from '../collect/doors/payload.ts';
import { ownOrigin } from '../config.ts';
import { Refusal } from '../errors.ts';
import { inHabits } from '../process/habits.ts';
import { USUAL_HABITS } from '../vocabulary/habits/habits.ts';
import { message, t } from '../vocabulary/habits/messages.ts';
import { LINK_DAYS, MAX_LINK_DAYS, MOST_FEWEST, PART_NAMES } from '../vocabulary/settings/share-links.ts';
import { isoOf } from '../vocabulary/time/time.ts';
import { logByOperator } from './account-commands.ts';
import { type Command, command, domain, instant, passwordStdin, Usage, wholeNumber } from './command-line.ts';
import { mailOf } from './mail-commands.ts';
import { withSite } from './open-directory.ts';

const id = z.string().meta({ value: 'ID' }).describe(message('Id of the link, from "share list"'));
const day = (text: string) =>
  z.iso.date(message('{option} must be a date such as 2026-12-31.')).optional().meta({ value: 'DAY' }).describe(text);

const rules = {
  note: z.string().optional().describe(message('Note that only members see')),
  password: z.string().optional().describe(message('Password that viewers must enter, at least 8 characters')),
  'password-stdin': passwordStdin,
  until: instant.optional().meta({ value: 'ISO' }).describe(message('When the link ends; never by default')),
  filter: z
    .array(z.string())
    .optional()
    .meta({ value: 'JSON' })
    .describe(message('Shows only these visits: { "dimension", "operator", "values" }, repeatable')),
  days: wholeNumber(MAX_LINK_DAYS)
    .optional()
    .meta({ value: 'N' })
    .describe(message('Shows only the last N days, and today')),
  from: day(message('Shows only the days from this one on, with --to')),
  to: day(message('Shows only the days up to this one, with --from')),
  part: z
    .array(z.enum(PART_NAMES))
    .optional()
    .describe(message('A part of the dashboard to show, repeatable; all of them by default')),
  timezone: z
    .enum(LINK_DAYS)
    .optional()
    .describe(message('Whose days it shows: those of the site’s time zone, the default, or of UTC')),
  fewest: wholeNumber(MOST_FEWEST)
    .optional()
    .meta({ value: 'N' })
    .describe(message('Fewest visitors of a narrowed number: 3 by default, 1 shows all')),
  properties: z.boolean().optional().describe(message('Show the properties of events')),
  'embedded-on': z
    .array(z.string())
    .optional()
    .meta({ value: 'HOST' })
    .describe(message('A website that may show the page in a frame, repeatable')),
  public: z.boolean().optional().describe(message('Open the link to everybody, at /share/DOMAIN, too')),
  indexed: z.boolean().optional().describe(message('Let search engines list the page of a public link')),
  theme: z.enum(['light', 'dark']).optional().describe(message('Theme of the page; the reader’s own by default')),
};

export const shareCommands: Command[] = [
  command('access', {
    summary: message('Show who can see a site, how, and when they last did'),
    onlyReads: true,
    positionals: ['site'],
    options: z.object({ site: domain }),
    run: ({ site: name }, context) =>
      withSite(name, context, async (directory, site) => {
        const { listAccess } = await import('../api/access/list.ts');
        const parts = { directory, mail: await mailOf(directory, context), config: context.config };
        const rows = await inHabits(USUAL_HABITS, () => listAccess(parts, { site, now: context.now }));
        return {
          access: rows.map(({ kind, id, of, who, how, last_used_at }) => ({
            kind,
            id,
            of,
            who,
            how,
            last_used_at: isoOf(last_used_at),
          })),
        };
      }),
  }),
  command('share create', {
    summary: message('Create a share link of a site; its address is shown once'),
    options: z.object({ site: domain, name: z.string().describe(message('Name that only members see')), ...rules }),
    run: ({ site, ...given }, context) =>
      withSite(site, context, async (directory, { id: siteId, account_id, domain }) => {
        const { createShareLink } = await import('../sites/sharing/share.ts');
        const { checkOffered } = await import('../sites/sharing/public-links.ts');
        const { hashLinkPassword } = await import('../accounts/sign-in/passwords/link-password.ts');
        const content = await contentOf(given);
        checkOffered(context.config, content);
        const passwordHash =
          given.password === undefined ? {} : { passwordHash: await hashLinkPassword(given.password) };
        const wish = { siteId, ...content, ...passwordHash };
        const { id, name, token } = await createShareLink(directory, wish, context.now);
        context.touched.link_id = id;
        await logByOperator(directory, { action: 'share_link_made', account_id, name, domain }, context);
        return { id, url: `${ownOrigin(context.config)}/share/${token}` };
      }),
  }),
  command('share list', {
    summary: message('Show the share links of a site, what each shows, and when it was last opened'),
    onlyReads: true,
    options: z.object({ site: domain }),
    run: ({ site }, context) =>
      withSite(site, context, async (directory, { id: siteId }) => {
        const { listShareLinks, toPublicLink } = await import('../sites/sharing/share.ts');
        const links = await listShareLinks(directory, siteId);
        return { links: links.map(toPublicLink) };
      }),
  }),
  ...(['pause', 'resume'] as const).map((what) =>
    command(`share ${what}`, {
      summary:
        what === 'pause'
          ? message('Close a share link until it is resumed')
          : message('Open a paused share link again'),
      options: z.object({ site: domain, id }),
      run: ({ site, id }, context) =>
        withSite(site, context, async (directory, { id: siteId, account_id, domain }) => {
          const { changeShareLink } = await import('../sites/sharing/share.ts');
          context.touched.link_id = id;
          const wish = { siteId, linkId: id, paused: what === 'pause' };
          const { name } = await changeShareLink(directory, wish, context.now);
          await logByOperator(directory, { action: 'share_link_changed', account_id, name, domain }, context);
          return { id, paused: wish.paused };
        }),
    }),
  ),
  command('share revoke', {
    summary: message('Revoke a share link permanently; open dashboards close within two seconds'),
    options: z.object({ site: domain, id }),
    run: ({ site, id }, context) =>
      withSite(site, context, async (directory, { id: siteId, account_id, domain }) => {
        const { revokeShareLink } = await import('../sites/sharing/share.ts');
        context.touched.link_id = id;
        const { name } = await revokeShareLink(directory, { siteId, linkId: id }, context.now);
        await logByOperator(directory, { action: 'share_link_revoked', account_id, name, domain }, context);
        return { revoked: id };
      }),
  }),
];

type Given = z.output<z.ZodObject<typeof rules>> & { name: string };

/** Checks what a link shows as the dashboard's requests are checked. */
async function contentOf({ name, note, until, filter = [], days, from, to, part, timezone, theme, ...shows }: Given) {
  const { linkContent, linkName } = await import('../api/sharing/content.ts');
  if ((from === undefined) !== (to === undefined)) throw new Usage(t('--from and --to need each other.'));
  if (days !== undefined && from !== undefined) throw new Usage(t('--days and --from cannot be combined.'));
  const span = from === undefined ? null : { date_from: from, date_to: to };
  const { data, error } = z.object({ name: linkName, ...linkContent }).safeParse({
    name,
    note,
    expires_at: until ?? null,
    public: shows.public,
    indexed: shows.indexed,
    shows: { fewest: shows.fewest, properties: shows.properties, embedded_on: shows['embedded-on'] },
    rules: {
      filters: filter.map(readJson),
      period: days === undefined ? span : { days },
      parts: part ?? null,
      timezone,
    },
    looks: { theme: theme ?? null },
  });
  if (!data) throw new Refusal('bad_request', problemOf(error));
  return data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Usage(t('--filter must be JSON.'));
  }
}
