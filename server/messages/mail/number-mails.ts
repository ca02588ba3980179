// Mails about the numbers of sites: reports, alerts, and what stands in their way.
import { type Happened, summaryOf } from '../../vocabulary/settings/alert-words.ts';
import { say, t } from '../../vocabulary/habits/messages.ts';
import { SEARCH_FAILURES } from '../../vocabulary/settings/search-console.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { type Block, kind } from './content.ts';
import { shownName, shownSentence } from './names.ts';

export const NUMBER_MAILS = {
  report: kind<ReportMail>({
    about: 'reports',
    usefulForMs: 3 * DAY_MS,
    write: ({ name, title, site, days, sentences, blocks, ...address }) => ({
      subject: t('{report} of {site}, {days}', {
        report: shownSentence(title),
        site: shownName(site),
        days: shownSentence(days),
      }),
      paragraphs: [...(name === site ? [] : [shownName(name)]), ...sentences],
      blocks: blocks.map(withSafeNames),
      button: { label: t('Open these numbers'), path: pathOfReport({ site, ...address }) },
      reason: (host) =>
        t(
          'You get this report because you, or somebody else with an account, added your address to it. It comes from {host}.',
          { host },
        ),
    }),
    listOf: ({ list }) => list,
    sample: {
      name: 'Visitors from France',
      title: 'Weekly report',
      site: 'example.com',
      days: '16 – 22 Nov 2026',
      sentences: ['In the week of 16 – 22 Nov 2026, 31% fewer than in the week before; mostly fewer from Google.'],
      blocks: [
        { kind: 'figure', label: 'Unique visitors', value: '1,234', says: { text: '31% fewer', verdict: 'bad' } },
        { kind: 'table', title: 'Pages', rows: [{ name: '/', value: '12', change: { text: '+3', verdict: 'good' } }] },
      ],
      query: 'period=custom&date_from=2026-11-16&date_to=2026-11-22',
      list: 'acct_0__report_0',
    },
  }),
  /** `why`: in English. */
  report_stopped: kind<{ name: string; why: string; site: string | null }>({
    about: 'account',
    usefulForMs: 3 * DAY_MS,
    write: ({ name, why, site }) => ({
      subject: t('The report “{name}” could not be sent', { name: shownName(name) }),
      paragraphs: [t('The report “{name}” could not be sent.', { name: shownName(name) }), shownSentence(say(why))],
      button: { label: t('See your reports'), path: site === null ? '/' : `${pathOf(site)}/settings/reports#reports` },
    }),
    sample: { name: 'Visitors from France', why: 'Its segment was deleted: choose another one.', site: 'example.com' },
  }),
  search_broken: kind<{ domain: string; isWithdrawn: boolean }>({
    about: 'account',
    usefulForMs: 7 * DAY_MS,
    write: ({ domain, isWithdrawn }) => ({
      subject: t('Search terms of {domain} are no longer read', { domain: shownName(domain) }),
      paragraphs: [
        t('Footfall can no longer read the search terms of {domain} from Google Search Console.', {
          domain: shownName(domain),
        }),
        SEARCH_FAILURES[isWithdrawn ? 'grant' : 'property'],
        t('What was read before stays in the dashboard.'),
      ],
      button: {
        label: t('Connect again'),
        path: `/${encodeURIComponent(domain.toWellFormed())}/settings/integrations#search-console`,
      },
    }),
    sample: { domain: 'example.com', isWithdrawn: true },
  }),
  alert: kind<{ list: string; domain: string; zone: string; incidents: Happened[] }>({
    about: 'alert',
    listOf: ({ list }) => list,
    usefulForMs: DAY_MS,
    write: (told) => {
      const { title, lines } = summaryOf(told, shownName);
      return {
        subject: title,
        paragraphs: lines,
        button: { label: t('Open the dashboard'), path: `/${encodeURIComponent(told.domain.toWellFormed())}` },
      };
    },
    sample: {
      list: 'acct_sample__alert_sample',
      domain: 'example.com',
      zone: 'Europe/Berlin',
      incidents: [
        {
          kind: 'spike',
          started_at: Date.UTC(2026, 10, 22, 13),
          ended_at: null,
          facts: { value: 2310, expected: 400, cause: { dimension: 'source', name: 'Hacker News' } },
        },
      ],
    },
  }),
};

export type ReportMail = {
  name: string;
  /** Such as `Weekly report`. */
  title: string;
  /** A domain, the name of a group of sites, or the number of sites. */
  site: string;
  isOfGroup?: true;
  /** The period in words. */
  days: string;
  /** The text at the start, already safe to show. */
  sentences: string[];
  blocks: Block[];
  /** The query of the site's dashboard or of the group's page; null for a report of all sites. */
  query: string | null;
  /** The account and the report: what people unsubscribe from. */
  list: string;
};

/** Returns the path of the page that shows the numbers of a report. */
export function pathOfReport({ site, query, isOfGroup }: Pick<ReportMail, 'site' | 'query' | 'isOfGroup'>): string {
  if (query === null) return '/';
  return isOfGroup ? `/?${new URLSearchParams(query).toString()}` : pathOf(site, query);
}

function pathOf(domain: string, query = ''): string {
  const asked = new URLSearchParams(query).toString();
  return `/${encodeURIComponent(domain.toWellFormed())}${asked === '' ? '' : `?${asked}`}`;
}

/** Names of pages, sources and goals come from visitors. */
function withSafeNames(block: Block): Block {
  if (block.kind !== 'table') return block;
  return { ...block, rows: block.rows.map((row) => ({ ...row, name: shownName(row.name) })) };
}
