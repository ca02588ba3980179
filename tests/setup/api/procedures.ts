// Every procedure of the dashboard with its needs and a valid input. A new procedure needs a row here.
import { appRouter } from '../../../server/api/dashboard/router.ts';
import type { Need } from '../../../server/sites/access.ts';
import type { Part } from '../../../server/vocabulary/settings/share-links.ts';

/** Ids that an input may name, of the caller's own account or of somebody else's. */
export type Named = {
  siteId: string;
  keyId: string;
  linkId: string;
  tokenId: string;
  goalId: string;
  funnelId: string;
  /** A segment of the site. */
  segmentId: string;
  noteId: string;
  /** A purge of the site that can be undone. */
  purgeId: string;
  /** An import into the site whose rows are arriving. */
  importId: string;
  webhookId: string;
  reportId: string;
  alertId: string;
  mentionId: string;
  /** A group of sites. */
  groupId: string;
};

/** Names a site, and otherwise ids that no row can have. */
export const withoutIds = (siteId: string): Named => ({
  siteId,
  keyId: 'key_0',
  linkId: 'share_0',
  tokenId: 'ingest_0',
  goalId: 'goal_0',
  funnelId: 'funnel_0',
  segmentId: 'segment_0',
  noteId: 'note_0',
  purgeId: 'purge_0',
  importId: 'import_0',
  webhookId: 'wh_0',
  reportId: 'report_0',
  alertId: 'alert_0',
  mentionId: 'mention_0',
  groupId: 'group_0',
});

export type ProcedureRow = {
  /** `site`: about the site that `site_id` names. `account`: about the caller's own. */
  about: 'site' | 'account' | 'nothing';
  need: Need | 'login' | 'nothing';
  input(named: Named): Record<string, unknown> | undefined;
  /** Status of a valid question of a caller who may ask, if it is not 200. */
  status?: number;
  /** Also answers members of an account whose plan has ended. */
  evenExpired?: true;
};

const site = (need: Need, more: (named: Named) => object = () => ({})): ProcedureRow => ({
  about: 'site',
  need,
  input: (named) => ({ site_id: named.siteId, ...more(named) }),
});
const FRAME = { keys: Buffer.alloc(64).toString('base64'), frame: Buffer.alloc(32).toString('base64') };
const IMPORTED = {
  day: '2026-01-31',
  dimension: '',
  label: '',
  visitors: 10,
  visits: 12,
  pageviews: 30,
  events: 0,
  bounces: 5,
  visit_seconds: 600,
};
const PURGED = { dimension: 'source', operator: 'is', values: ['nobody.example'] };
const account = (need: Need, input: ProcedureRow['input'] = () => undefined): ProcedureRow => ({
  about: 'account',
  need,
  input,
});
const open = (input: ProcedureRow['input'] = () => undefined): ProcedureRow => ({
  about: 'nothing',
  need: 'nothing',
  input,
});

const login = (input: Record<string, unknown>, status: number): ProcedureRow => ({
  about: 'nothing',
  need: 'login',
  input: () => input,
  status,
});

const ALERT = { kind: 'spike', timezone: 'Europe/Berlin', emails: ['ada@example.com'] };

const EMPTY_PASSKEY = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'x', attestationObject: 'x' },
};

const OWN_REPORT = { name: 'Every week', frequency: 'weekly', hour: 8, timezone: 'UTC' };
const REPORT = { ...OWN_REPORT, recipients: ['ada@example.com'] };

/** Without Stripe there is nothing to pay for. */
const paying = (input?: Record<string, unknown>): ProcedureRow => ({
  ...account('plan', () => input),
  status: 404,
  evenExpired: true,
});

let serial = 0;

/** The procedures of something that people define on a site. `delete` is the last one. */
function definitions(
  router: string,
  own: { id(named: Named): string; definition: object },
): Record<string, ProcedureRow> {
  const id = (named: Named) => ({ id: own.id(named) });
  return {
    [`${router}.list`]: site('read'),
    [`${router}.create`]: site('admin', () => ({
      name: `made ${(serial += 1)}`,
      definition: own.definition,
    })),
    [`${router}.update`]: site('admin', (named) => ({
      ...id(named),
      name: `updated ${(serial += 1)}`,
      definition: own.definition,
    })),
    [`${router}.rename`]: site('admin', (named) => ({ ...id(named), name: `renamed ${(serial += 1)}` })),
    [`${router}.move`]: site('admin', (named) => ({ ...id(named), to: 0 })),
    [`${router}.delete`]: site('admin', id),
  };
}

export const PROCEDURES: Record<string, ProcedureRow> = {
  'access.list': site('admin'),
  'session.current': open(),
  'session.start': open(),
  'accounts.create': {
    ...open(() => ({ email: 'eve@example.com', password: 'correct horse battery', token: 'x' })),
    status: 403, // signing up is closed
  },
  'accounts.signUpLink': { ...open(() => ({ token: 'x'.repeat(40) })), status: 404 },
  'accounts.confirmSignUp': { ...open(() => ({ token: 'x'.repeat(40), password: 'x' })), status: 403 }, // closed
  'accounts.changePassword': {
    about: 'nothing',
    need: 'login',
    input: () => ({ current_password: 'wrong', new_password: 'another horse battery' }),
    status: 400,
  },
  'accounts.requestReset': { ...open(() => ({ email: 'eve@example.com' })), status: 400 }, // no mail is set up
  'accounts.resetPassword': {
    ...open(() => ({ token: 'x'.repeat(40), password: 'another horse battery' })),
    status: 404,
  },
  'profile.keepHabits': login({ locale: 'nowhere', hours: 12, first_day: null }, 400),
  'profile.email': { about: 'nothing', need: 'login', input: () => undefined },
  'profile.startEmailChange': login({ email: 'eve@example.com', password: 'wrong' }, 400),
  'profile.cancelEmailChange': { about: 'nothing', need: 'login', input: () => undefined },
  'profile.emailLink': { ...open(() => ({ token: 'x'.repeat(40) })), status: 404 },
  'profile.confirmEmail': { ...open(() => ({ token: 'x'.repeat(40) })), status: 404 },
  'sessions.list': { about: 'nothing', need: 'login', input: () => undefined },
  'sessions.proof': { about: 'nothing', need: 'login', input: () => undefined },
  'sessions.end': login({ id: 'unknown' }, 404),
  'sessions.endOthers': { about: 'nothing', need: 'login', input: () => undefined },
  'accounts.requireSecondFactor': account('owner', () => ({ required: false })),
  'factors.list': { about: 'nothing', need: 'login', input: () => undefined },
  'factors.startAuthenticator': login({ password: 'wrong' }, 400),
  'factors.confirmAuthenticator': login({ code: '000000' }, 400),
  'factors.removeAuthenticator': login({ password: 'wrong', code: '000000' }, 400),
  'factors.startPasskey': login({ password: 'wrong' }, 400),
  'factors.addPasskey': login({ name: 'key', response: EMPTY_PASSKEY }, 400),
  'factors.renamePasskey': login({ id: 'unknown', name: 'key' }, 404),
  'factors.removePasskey': login({ id: 'unknown', password: 'wrong' }, 400),
  'factors.renewRecoveryCodes': login({ password: 'wrong' }, 400),
  'leaving.exportUser': { about: 'nothing', need: 'login', input: () => undefined },
  'leaving.deleteAccount': {
    ...account('owner', () => ({ typed: 'another name', password: 'wrong' })),
    evenExpired: true,
    status: 400,
  },
  'leaving.keepAccount': { ...account('owner'), evenExpired: true },
  'leaving.deleteUser': login({ typed: 'somebody', password: 'wrong' }, 400),
  'accounts.log': { ...account('owner', () => ({ page: 1 })), evenExpired: true },
  'billing.subscription': paying(),
  'billing.prices': paying(),
  'billing.invoices': paying(),
  'billing.choose': paying({ plan: 'pro' }),
  'billing.cancel': paying(),
  'billing.portal': paying(),
  'billing.readBack': paying(),
  'groups.list': account('read'),
  // Their group needs two sites, and only one is known here: 404.
  'groups.create': {
    ...account('admin', ({ siteId }) => ({ name: 'made', site_ids: [siteId, 'site_0'] })),
    status: 404,
  },
  'groups.update': {
    ...account('admin', ({ siteId, groupId }) => ({
      id: groupId,
      content: { name: 'updated', site_ids: [siteId, 'site_0'] },
    })),
    status: 404,
  },
  'groups.numbers': account('read', ({ groupId }) => ({ id: groupId })),
  'groups.delete': account('admin', ({ groupId }) => ({ id: groupId })),
  'people.list': { ...account('admin'), evenExpired: true },
  'people.invite': { ...account('admin', () => ({ role: 'viewer' })), evenExpired: true },
  'people.withdraw': { ...account('admin', () => ({ id: 'invite_0' })), evenExpired: true, status: 404 },
  'people.change': {
    ...account('admin', () => ({ user_id: 'user_0', role: 'viewer' })),
    evenExpired: true,
    status: 404,
  },
  'people.remove': { ...account('admin', () => ({ user_id: 'user_0' })), evenExpired: true, status: 404 },
  'people.leave': login({ account_id: 'acct_0' }, 404),
  'people.switch': login({ account_id: 'acct_0' }, 404),
  'people.invitation': { ...open(() => ({ token: 'x' })), status: 404 },
  'people.join': { ...open(() => ({ token: 'x' })), status: 404 },
  'sites.list': account('read'),
  'sites.create': account('admin', () => ({ domain: `made${(serial += 1)}.example`, currency: 'EUR' })),
  'sites.claim': { ...account('admin', () => ({ domain: 'claimed.example' })), status: 403 }, // signing up is closed
  'sites.verify': { ...account('admin', () => ({ domain: 'claimed.example' })), status: 403 },
  'sites.ownership': site('admin'),
  'sites.rename': site('admin', () => ({ domain: `renamed${(serial += 1)}.example` })),
  'sites.delete': { ...site('owner', () => ({ confirm_domain: 'not-the-domain.example' })), status: 400 },
  'transfers.current': site('owner'),
  'transfers.offer': site('owner', () => ({ email: 'eve@example.com' })),
  'transfers.withdraw': site('owner'),
  'transfers.offered': { ...open(() => ({ token: 'x' })), status: 404 },
  'transfers.accept': login({ token: 'x', account_id: 'acct_0' }, 404),
  'sites.settings': site('admin'),
  'sites.change': site('admin', () => ({ paused: false, extra_hosts: ['shop.example'], respects_gpc: true })),
  'sites.ownVisits': site('admin', () => ({ visits: 'leave_out' })),
  'sites.previewPaths': site('admin', () => ({ rules: { case: 'lower' } })),
  'sites.ingestToken.list': site('admin'),
  'sites.ingestToken.create': site('admin'),
  'sites.ingestToken.revoke': site('admin', ({ tokenId }) => ({ id: tokenId })),
  'sites.arrivals': site('admin'),
  'sites.dropped': site('admin', () => ({ date_from: '2026-11-20', date_to: '2026-11-21' })),
  'sites.heaviest': site('admin'),
  'sites.robots': site('admin', () => ({ text: 'User-agent: *\nDisallow:' })),
  'sites.check': site('admin', () => ({ script: 'https://stats.example.com/foot.js' })),
  'sites.arrange': site('own', () => ({ change: { folded: ['mentions'] } })),
  'sites.overview': account('read', ({ siteId }) => ({ site_ids: [siteId] })),
  'keys.list': account('owner'),
  'keys.create': account('owner', () => ({ name: 'made by a test' })),
  'keys.revoke': account('owner', ({ keyId }) => ({ id: keyId })),
  'shares.list': site('admin'),
  'shares.create': site('admin', () => ({ name: 'made by a test' })),
  'shares.change': site('admin', ({ linkId }) => ({ id: linkId, name: `renamed ${(serial += 1)}` })),
  'shares.revoke': site('admin', ({ linkId }) => ({ id: linkId })),
  'shares.draft': site('admin', () => ({ rules: { filters: [], period: { days: 7 }, parts: ['pages'] } })),
  'shares.site': { ...open(), status: 404 }, // of a share link alone
  'shares.piece': site('read', () => ({ piece: 'list', period: '7d' })),
  'shares.unlock': { ...open(() => ({ password: 'wrong' })), status: 404 },
  ...definitions('goals', {
    id: ({ goalId }) => goalId,
    definition: { kind: 'page', page: '/thanks' },
  }),
  ...definitions('funnels', {
    id: ({ funnelId }) => funnelId,
    definition: { steps: ['/', '/thanks'].map((page) => ({ kind: 'page', page })) },
  }),
  'feeds.list': site('own'),
  'feeds.make': site('own', () => ({ kind: 'news' })),
  'feeds.end': site('own', () => ({ kind: 'news' })),
  'segments.list': site('read'),
  'segments.create': site('own', () => ({
    name: `made ${(serial += 1)}`,
    filters: [{ dimension: 'country', operator: 'is', values: ['FR'] }],
  })),
  'segments.change': site('admin', ({ segmentId }) => ({ id: segmentId, name: `renamed ${(serial += 1)}` })),
  'segments.delete': site('admin', ({ segmentId }) => ({ id: segmentId })),
  'notes.list': site('read'),
  'notes.create': site('admin', () => ({ content: { day: '2026-11-20', text: `made ${(serial += 1)}` } })),
  'notes.update': site('admin', ({ noteId }) => ({ id: noteId, content: { day: '2026-11-21', text: 'changed' } })),
  'mentions.list': site('own', () => ({ period: '7d' })),
  'mentions.marks': site('own'),
  'mentions.settings': site('admin'),
  'mentions.save': site('admin', () => ({ rules: { places: [], words: [], feeds: [] } })),
  'mentions.mute': site('admin', ({ mentionId }) => ({ id: mentionId, is_muted: true })),
  'notes.delete': site('admin', ({ noteId }) => ({ id: noteId })),
  'imports.list': site('admin'),
  'imports.takenDays': site('admin'),
  'imports.check': site('admin', () => ({ format: 'csv', file: 'new.csv', content: 'new' })),
  'imports.begin': site('admin', () => ({ format: 'csv', file: 'made.csv', content: 'made' })),
  'imports.add': site('admin', ({ importId }) => ({ id: importId, part: 0, sums: [IMPORTED] })),
  'imports.receivingKey': site('admin'),
  // Frames of nobody.
  'imports.openSealed': { ...site('admin', () => FRAME), status: 400 },
  'imports.addSealed': { ...site('admin', ({ importId }) => ({ id: importId, part: 1, ...FRAME })), status: 400 },
  'imports.finish': site('admin', ({ importId }) => ({ id: importId })),
  'imports.remove': site('admin', ({ importId }) => ({ id: importId })),
  'exports.list': { ...account('owner'), evenExpired: true },
  'exports.make': { ...account('owner', () => ({ site: null, kind: 'open' })), evenExpired: true },
  'exports.delete': { ...account('owner', () => ({ id: 'export_NONE' })), evenExpired: true, status: 404 },
  'purges.list': site('admin'),
  'purges.preview': site('admin', () => ({ period: '30d', filters: [PURGED] })),
  // The site has no visits.
  'purges.create': { ...site('admin', () => ({ period: '30d', filters: [PURGED], name: 'made' })), status: 400 },
  'purges.undo': site('admin', ({ purgeId }) => ({ id: purgeId })),
  'webhooks.list': account('admin'),
  'webhooks.create': account('admin', () => ({
    name: `made ${(serial += 1)}`,
    format: 'standard',
    url: 'https://hooks.example/footfall',
  })),
  'webhooks.change': account('admin', ({ webhookId }) => ({ id: webhookId, name: 'changed by a test' })),
  'webhooks.rotate': account('admin', ({ webhookId }) => ({ id: webhookId })),
  'webhooks.resume': account('admin', ({ webhookId }) => ({ id: webhookId })),
  'webhooks.test': account('admin', ({ webhookId }) => ({ id: webhookId })),
  'webhooks.log': account('admin', ({ webhookId }) => ({ id: webhookId, page: 1 })),
  'webhooks.replay': { ...account('admin', () => ({ id: 'msg_0' })), status: 404 },
  'webhooks.delete': { ...account('admin', () => ({ id: 'wh_0' })), status: 404 },
  'reports.list': site('admin'),
  'reports.create': site('admin', () => ({ content: { ...REPORT, name: `made ${(serial += 1)}` } })),
  'reports.update': site('admin', ({ reportId }) => ({ id: reportId, content: REPORT })),
  'reports.pause': site('admin', ({ reportId }) => ({ id: reportId, paused: true })),
  'reports.sendNow': { ...site('admin', ({ reportId }) => ({ id: reportId, to: 'me' })), status: 400 }, // no mail is set up
  'reports.log': site('admin', ({ reportId }) => ({ id: reportId })),
  'reports.own': site('own'),
  'reports.subscribe': site('own', () => ({ content: { ...OWN_REPORT, name: `made ${(serial += 1)}` } })),
  'reports.unsubscribe': site('own', ({ reportId }) => ({ id: reportId })), // no personal one: 404
  'reports.resubscribe': site('own', ({ reportId }) => ({ id: reportId })), // the same
  'reports.delete': site('admin', ({ reportId }) => ({ id: reportId })),
  'searchConsole.status': site('admin'),
  'searchConsole.terms': site('own', () => ({ period: 'today' })),
  'searchConsole.disconnect': site('admin'),
  ...Object.fromEntries(
    ['connect', 'properties', 'choose'].map((name) => [
      `searchConsole.${name}`,
      // No Google client is set up.
      { ...site('admin', () => (name === 'choose' ? { property: 'sc-domain:example.com' } : {})), status: 400 },
    ]),
  ),
  'alerts.list': site('admin'),
  'alerts.create': site('admin', () => ({ content: ALERT })),
  'alerts.update': site('admin', ({ alertId }) => ({ id: alertId, content: ALERT })),
  'alerts.delete': site('admin', ({ alertId }) => ({ id: alertId })),
  'alerts.preview': site('admin', () => ({ content: ALERT })),
  'alerts.history': site('own'),
  'stats.summary': site('read', () => ({ period: 'today', compare: 'previous' })),
  'stats.timeseries': site('read', () => ({ period: 'today', metric: 'visits' })),
  'stats.breakdown': site('read', () => ({ period: 'today', dimension: 'page', metrics: ['unique_visitors'] })),
  'stats.funnel': site('read', ({ funnelId }) => ({ period: 'today', funnel_id: funnelId, by: 'device' })),
  'stats.left': site('read', ({ funnelId }) => ({ period: 'today', funnel_id: funnelId })),
  'stats.search': site('read', () => ({ period: 'today', search: 'x' })),
  'stats.ask': site('own', () => ({ period: 'today', q: 'visitors from germany last week' })),
  'stats.preview': site('admin', () => ({ definition: { kind: 'event', event: 'signup' } })),
  'stats.properties': site('read', () => ({ period: 'today' })),
  'stats.currencies': site('read', () => ({ period: 'today' })),
  'stats.driver': site('read', () => ({ period: 'today', metric: 'visits', compare: 'previous' })),
  'stats.movers': site('read', () => ({ period: 'today', metric: 'visits', compare: 'previous' })),
  'stats.trends': site('read', () => ({ period: 'today', dimension: 'page', metric: 'visits', names: ['/'] })),
  'stats.week': site('read', () => ({ period: 'today', metric: 'visits' })),
  'stats.vitals': site('read', () => ({ period: 'today' })),
  'stats.vitalsList': site('read', () => ({ period: 'today', split: 'device' })),
  'stats.vitalsHistogram': site('read', () => ({ period: 'today', vital: 'lcp' })),
  'stats.vitalsConversion': site('read', ({ goalId }) => ({ period: 'today', goal_id: goalId })),
  'stats.errors': site('read', () => ({ period: 'today' })),
  'stats.errorsDetail': site('read', () => ({ period: 'today', shape: '0123456789ab' })),
  'stats.journey': site('read', () => ({ period: 'today', start: { kind: 'page', value: '/' } })),
  'stats.aiOverTime': site('read', () => ({ period: 'today' })),
  'stats.aiSeries': site('read', () => ({ period: 'today', interval: 'hour' })),
  'stats.reading': site('read', () => ({ period: 'today' })),
  'live.snapshot': site('read'),
  'live.icons': site('read'),
  'live.speed': site('read'),
};

/**
 * What viewers of a share link may ask, as far as the link shows these parts, these days (yesterday and today), and everybody. A procedure for viewers
 * needs a row.
 */
export const SHOWN_IN: Record<string, { parts?: Part[]; isOfDays?: true; isOfEverybody?: true }> = {
  'goals.list': { parts: ['goals'] },
  'funnels.list': { parts: ['funnels'] },
  'segments.list': {},
  'notes.list': {},
  'stats.summary': { isOfDays: true },
  'stats.timeseries': { isOfDays: true },
  'stats.breakdown': { parts: ['pages'], isOfDays: true },
  'stats.funnel': { parts: ['funnels', 'devices'], isOfDays: true },
  'stats.left': { parts: ['funnels'], isOfDays: true },
  'stats.search': { parts: ['sources', 'pages', 'places', 'devices', 'events'], isOfDays: true, isOfEverybody: true },
  'stats.properties': { parts: ['events'], isOfDays: true },
  'stats.currencies': { parts: ['revenue'], isOfDays: true },
  'stats.driver': { parts: ['sources', 'pages', 'places', 'devices'], isOfDays: true },
  'stats.movers': { parts: ['sources', 'pages', 'places', 'devices'], isOfDays: true },
  'stats.trends': { parts: ['pages'], isOfDays: true },
  'stats.week': { parts: ['week'], isOfDays: true },
  'stats.vitals': { parts: ['pages'], isOfDays: true },
  'stats.vitalsList': { parts: ['pages', 'devices'], isOfDays: true },
  'stats.vitalsHistogram': { parts: ['pages'], isOfDays: true },
  'stats.vitalsConversion': { parts: ['pages', 'goals'], isOfDays: true },
  'stats.errors': { parts: ['pages'], isOfDays: true },
  'stats.errorsDetail': { parts: ['pages', 'devices', 'places'], isOfDays: true },
  'stats.journey': { parts: ['journeys'], isOfDays: true },
  'stats.aiOverTime': { parts: ['ai'], isOfDays: true },
  'stats.aiSeries': { parts: ['ai'], isOfDays: true },
  'stats.reading': { parts: ['pages'], isOfDays: true },
  'shares.piece': { parts: ['pages'], isOfDays: true },
  'live.snapshot': { parts: ['live'], isOfDays: true },
  'live.icons': { parts: ['live', 'sources'], isOfDays: true },
  'live.speed': { parts: ['live', 'pages'], isOfDays: true },
};

const typed = appRouter._def.procedures as unknown as Record<string, { _def: { type: 'query' | 'mutation' } }>;
export const PROCEDURE_NAMES = Object.keys(typed);

export function isMutation(name: string): boolean {
  return typed[name]?._def.type === 'mutation';
}
