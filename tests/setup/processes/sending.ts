// Everything that sends reports, alerts, mails and webhooks' messages, over a directory that other processes may use too. The numbers
// are given. Run as a program, it stops at one statement of its turn, in the middle of what it does, until it is killed:
// `node sending.ts '{"place":…,"receivers":…,"now":…,"point":["insert","mails",2]}'`.
import { connect } from 'node:net';
import { argv } from 'node:process';
import { setDefaultCACertificates } from 'node:tls';
import { countForAlerts } from '../../../server/notifications/alerts/counting.ts';
import { tellIncidents } from '../../../server/notifications/alerts/telling.ts';
import { readConfig } from '../../../server/config.ts';
import { type Directory, openDirectory } from '../../../server/directory/open.ts';
import { openLog } from '../../../server/process/log.ts';
import { openMail } from '../../../server/messages/mail/mail.ts';
import type { Network } from '../../../server/process/outgoing/network.ts';
import { openReports } from '../../../server/notifications/reports/reports.ts';
import { openStats, type Stats } from '../../../server/stats/run.ts';
import type { Summary } from '../../../server/stats/answers/summary.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { openWebhooks } from '../../../server/messages/webhooks/webhooks.ts';
import { type Point, stopAt } from './stopping.ts';

/** Where the receivers really listen. */
export type Targets = { smtp: string; port: number; certificate: string };
type Stopped = {
  place: { path: string; databaseUrl: string | undefined };
  targets: Targets;
  now: number;
  point: Point;
};

const NOTHING = { date_from: '', date_to: '', compare: null, metrics: [], currency: null } as unknown as Summary;
const ZEROS = { unique_visitors: 0, visits: 0, pageviews: 0 };
const ofGroup: Stats['group'] = (_question, sites) =>
  Promise.resolve({
    date_from: '',
    date_to: '',
    compare: null,
    interval: 'day',
    intervals: ['day'],
    unfinished: false,
    totals: ZEROS,
    previous: null,
    points: [],
    previous_points: null,
    imported: null,
    sites: sites.map(({ id }) => ({ site_id: id, totals: ZEROS, previous: null })),
  });

/** One payment of 5 euros each morning at seven. */
const PAID_AT = 7 * HOUR_MS;
const mornings = (from: number, to: number) =>
  Math.ceil((to - PAID_AT) / DAY_MS) - Math.ceil((from - PAID_AT) / DAY_MS);
const counts: Stats['counts'] = (alerts, to) => {
  const countOf = ({ from, laterFrom = to }: (typeof alerts)[number]) => {
    const [count, later] = [mornings(from, to), mornings(laterFrom, to)];
    return { count, later, amount: 5 * count, laterAmount: 5 * later, days: count };
  };
  return Promise.resolve(new Map(alerts.map((alert) => [alert.id, countOf(alert)])));
};

export async function openSending(directory: Directory, { smtp, port }: Targets, now: () => number) {
  const log = openLog('silent');
  const config = readConfig({ SMTP_URL: smtp, MAIL_FROM: 'footfall@stats.example', BASE_URL: 'https://stats.example' });
  const network = { resolve: () => Promise.resolve(['1.1.1.1']), dial: () => connect(port, '127.0.0.1') };
  const mail = await openMail({ directory, config, now, log });
  const webhooks = await openWebhooks({ directory, config, network: network as unknown as Network, now, log });
  const nowhere = { ...openStats({ query: () => Promise.reject(new Error()) }, () => undefined) };
  const askedBy: Stats['askedBy'] = () =>
    ({ summary: () => Promise.resolve(NOTHING), group: ofGroup }) as unknown as Stats;
  const reports = openReports({ directory, stats: { ...nowhere, askedBy }, mail, webhooks, config, now, log });
  return {
    mail,
    webhooks,
    /** What the jobs do. */
    turn: async () => {
      await reports.sendDue();
      await countForAlerts({ directory, stats: { counts }, billing: 'off' }, now());
      await tellIncidents({ directory, mail, webhooks, billing: 'off' }, now());
      await mail.deliver();
      await webhooks.deliver();
    },
  };
}

if (import.meta.main) {
  const { place, targets, now, point } = JSON.parse(argv[2] ?? '') as Stopped;
  setDefaultCACertificates([targets.certificate]);
  const directory = await openDirectory(place);
  const watched = { ...directory, db: directory.db.withPlugin(stopAt(point)) };
  const { turn } = await openSending(watched, targets, () => now);
  await turn();
  await directory.close();
}
