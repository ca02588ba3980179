// The tables of the directory database. Instants are milliseconds since the epoch, flags are 0 or 1, lists and settings are JSON text, so
// that SQLite and PostgreSQL return the same values.
import type { Generated, Selectable } from 'kysely';
import type { SiteId } from '../vocabulary/event.ts';
import type { AlertKind } from '../vocabulary/settings/alerts.ts';
import type { MentionOutcome, MentionPlace } from '../vocabulary/settings/mentions.ts';
import type { Plan } from '../vocabulary/accounts/plans.ts';
import type { NoteKind } from '../vocabulary/settings/notes.ts';
import type { Frequency } from '../vocabulary/settings/reports.ts';
import type { Role } from '../vocabulary/accounts/roles.ts';
import type { AccountAction } from '../vocabulary/accounts/account-actions.ts';
import type { FeedKind } from '../vocabulary/settings/feeds.ts';
import type { ExportKind, ExportState } from '../vocabulary/settings/exports.ts';
import type { ImportState } from '../vocabulary/settings/imports.ts';
import type { PurgeState } from '../vocabulary/settings/purges.ts';
import type { SearchFailure } from '../vocabulary/settings/search-console.ts';
import type { WebhookFormat } from '../vocabulary/settings/webhooks.ts';

export const STATUSES = ['trialing', 'active', 'past_due', 'cancelled', 'expired'] as const;
export type Status = (typeof STATUSES)[number];

/** `operator`: created on the first-start page. `demo`: created by `manage seed`. Only customers have a trial and a quota. */
export type Kind = 'customer' | 'operator' | 'demo';

/** Who acted: a person of the account, a program with an API key, the operator with `manage`, billing when a payment came or failed, single sign-on, or an account that took a domain. */
export type Actor = 'person' | 'key' | 'operator' | 'billing' | 'issuer' | 'other_account';

/** What the recipients of an alert know of an incident. */
export type Told = 'nothing' | 'started' | 'all';

export type Flag = 0 | 1;
type Json = string;

export type Tables = {
  users: {
    id: string;
    name: string;
    email: string;
    email_verified: Flag;
    image: string | null;
    created_at: number;
    updated_at: number;
    /** `ChosenHabits` of `vocabulary/habits/habits.ts`. */
    habits: Json | null;
  };
  /** Has no column for addresses, so that none can be stored by mistake. */
  sessions: {
    id: string;
    /** Browser and system by name, such as `Firefox on Linux`, never a user agent. */
    agent: string | null;
    /** SHA-256 of the token in the cookie. */
    token: string;
    user_id: string;
    expires_at: number;
    created_at: number;
    updated_at: number;
    /** When the OpenID Connect issuer checked who it is. Null for a session that began with a password or passkey. */
    issuer_proved_at: number | null;
    /** 1 if the issuer says that it checked a second factor too. */
    issuer_proved_factors: Generated<Flag>;
  };
  /** Who a user is at an OpenID Connect issuer; see `accounts/sign-in/single-sign-on/oidc-people.ts`. */
  identities: { issuer: string; subject: string; user_id: string; created_at: number };
  credentials: {
    id: string;
    user_id: string;
    account_id: string;
    provider_id: string;
    password: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Authenticator apps; see `accounts/sign-in/factors/second-factor.ts`. */
  authenticators: {
    user_id: string;
    /** Encrypted; see `encryption.ts`. */
    secret: string;
    /** Null until the first code has confirmed that the app has the secret. */
    confirmed_at: number | null;
    /** The time step of the newest code that was used. Codes of this step and of earlier ones are refused. */
    last_step: number;
    created_at: number;
  };
  recovery_codes: { id: string; user_id: string; hash: string; used_at: number | null };
  passkeys: {
    id: string;
    user_id: string;
    name: string;
    /** In base64url, as browsers send it. */
    credential_id: string;
    /** COSE key in base64url. */
    public_key: string;
    /** Uses that the device has counted. Stays 0 for passkeys that are synchronised between devices. */
    counter: number;
    created_at: number;
    last_used_at: number | null;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: number;
    created_at: number;
    updated_at: number;
  };
  /** New e-mail addresses that wait for their confirmation; see `accounts/people/email-change.ts`. */
  email_changes: {
    user_id: string;
    /** The new address. */
    email: string;
    old_confirmed: Flag;
    new_confirmed: Flag;
    expires_at: number;
  };
  /** People who signed up and have not confirmed their address; see `accounts/people/sign-up.ts`. */
  sign_ups: {
    email: string;
    /** The hash of the last one that was entered for this address. */
    password: string;
    expires_at: number;
  };
  accounts: {
    id: string;
    name: string;
    kind: Kind;
    plan: Plan;
    status: Status;
    /** Null for the default trial: TRIAL_MS from the account's creation if billing is on, without end otherwise. */
    trial_ends_at: number | null;
    paid_until: number | null;
    created_at: number;
    /** 1 if members see nothing until they have a second factor. */
    requires_factor: Flag;
    /** When the account is deleted for good, if an owner asked for that. 0 once it has begun: nobody can take it back then. */
    deletes_at: number | null;
  };
  /** The Stripe customer of an account; see `accounts/billing/customers.ts`. */
  billing_customers: {
    account_id: string;
    customer_id: string;
    /** Grows with every reading, so that an older reading never overwrites a newer one. */
    version: number;
    /** The subscription as it was last read: a `Subscribed`, or null if there is none. */
    subscribed: Json | null;
    subscription_id: string | null;
    /** When the next period is paid. Null if the subscription does not renew. */
    renews_at: number | null;
    read_at: number | null;
  };
  /** The events of Stripe's webhook that have been dealt with. */
  billing_events: { id: string; received_at: number };
  members: {
    account_id: string;
    user_id: string;
    role: Role;
    /** 1 for a viewer who sees only the sites in `member_sites`. */
    named_sites: Generated<Flag>;
    created_at: number;
  };
  member_sites: { account_id: string; user_id: string; site_id: SiteId };
  /** See `accounts/people/invitations.ts`. A row is deleted once it is used. */
  invitations: {
    id: string;
    account_id: string;
    invited_by: string;
    hash: string;
    role: Role;
    /** A list; null for all sites. */
    site_ids: Json | null;
    email: string | null;
    created_at: number;
    expires_at: number;
  };
  /** See `accounts/account-log.ts`. The ids of deleted users become null. */
  account_log: {
    id: string;
    account_id: string;
    actor: Actor;
    user_id: string | null;
    action: AccountAction;
    member_id: string | null;
    name: string | null;
    domain: string | null;
    created_at: number;
  };
  sites: {
    id: SiteId;
    account_id: string;
    domain: string;
    created_at: number;
    paused: Flag;
    extra_hosts: Json;
    respects_gpc: Flag;
    /** Chosen by the owner. */
    currency: string | null;
    /** That of the owner's language: becomes `currency` if the first payment has it, too. */
    expected_currency: string | null;
    /** The currency of the first payment seen. */
    proposed_currency: string | null;
    max_amount: number;
    settings: Json;
    /** When the first event came that this server counted itself. */
    first_event_at: number | null;
    last_event_at: number | null;
    /** IANA name. Null until somebody chooses one: the site's days have always been UTC days. */
    timezone: string | null;
    /** When its account last proved that the domain is its own; see `sites/checks/ownership.ts`. */
    verified_at: number | null;
    /** When another account proved that, and this site stopped counting. */
    lost_at: number | null;
    /** When the site came from another account. Its events before then do not count towards the quota. */
    moved_at: number | null;
  };
  /** See `sites/transfers.ts`. A site has one open offer. */
  transfers: {
    id: string;
    site_id: SiteId;
    offered_by: string;
    hash: string;
    email: string;
    created_at: number;
    expires_at: number;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  share_links: {
    id: string;
    site_id: SiteId;
    hash: string;
    name: string;
    created_at: number;
    revoked_at: number | null;
    /** 1 if viewers see properties of events. */
    shows_properties: Flag;
    /** Viewers see no narrowed numbers of fewer visitors. */
    fewest: number;
    /** 1 if the page says "Counted by Footfall". */
    shows_credit: Flag;
    /** Hosts of the websites that may show the page in a frame: a list of texts. */
    embedded_on: Json;
    note: string;
    /** `LinkRules` of `vocabulary/settings/share-links.ts`. */
    rules: Json;
    theme: 'light' | 'dark' | null;
    /** An `Arrangement` of `vocabulary/settings/arrangement.ts`. */
    arrangement: Json | null;
    password_hash: string | null;
    expires_at: number | null;
    paused_at: number | null;
    last_used_at: number | null;
    /** 1 if the site's domain opens it, too; 1 if robots may index that page. */
    is_public: Flag;
    is_indexed: Flag;
  };
  /** How often a share link was opened on a UTC day; see `sites/sharing/uses.ts`. */
  share_views: { link_id: string; site_id: SiteId; day: string; views: number };
  /** Share links that somebody is about to make, and looks at; see `sites/sharing/drafts.ts`. */
  share_drafts: { site_id: SiteId; user_id: string; hash: string; content: Json; changed_at: number };
  /** How a person has arranged the dashboard of a site; see `sites/arrangements.ts`. */
  arrangements: { user_id: string; site_id: SiteId; content: Json };
  /** Tokens with which the site's own servers send reports; see `sites/ingest.ts`. */
  ingest_tokens: {
    id: string;
    site_id: SiteId;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  /** Secret addresses at which programs read a site for a person; see `sites/sharing/feeds.ts`. */
  feeds: {
    id: string;
    site_id: SiteId;
    user_id: string;
    kind: FeedKind;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  /** See `sites/definitions/definitions.ts`: both have the same columns. */
  goals: { id: string; site_id: SiteId; name: string; definition: Json; created_at: number; position: number };
  funnels: { id: string; site_id: SiteId; name: string; definition: Json; created_at: number; position: number };
  /** Saved filters. `user_id`: the person that they belong to; null for the site's shared segments. */
  segments: {
    id: string;
    site_id: SiteId;
    user_id: string | null;
    name: string;
    definition: Json;
    created_at: number;
  };
  /** See `sites/definitions/notes.ts`. */
  notes: {
    id: string;
    site_id: SiteId;
    day: string;
    text: string;
    is_private: Flag;
    created_at: number;
    kind: NoteKind;
  };
  /** See `sites/purges.ts`. `claimed_until`: a process moves its rows until then. */
  purges: {
    id: string;
    site_id: SiteId;
    name: string;
    definition: Json;
    first_day: string;
    last_day: string;
    state: PurgeState;
    counts: Json;
    created_at: number;
    claimed_until: number | null;
  };
  /** See `sites/groups.ts`. */
  site_groups: { id: string; account_id: string; name: string; created_at: number };
  /** `position`: from 0, with gaps where sites have left. */
  group_sites: { group_id: string; site_id: SiteId; position: number };
  /** See `notifications/reports/definitions.ts`. */
  reports: {
    id: string;
    account_id: string;
    /** Not a foreign key: a report tells its readers that its site was deleted. Null for a report of all sites of the account, or of a group. */
    site_id: string | null;
    /** Set for a report of a group of sites. Not a foreign key, for the same reason. */
    group_id: string | null;
    /** Whose personal segments the report may use. */
    created_by: string | null;
    name: string;
    frequency: Frequency;
    hour: number;
    timezone: string;
    /** What the report shows of the site: a `Viewed`. */
    viewed: Json;
    /** The webhooks that get it, by id. */
    webhooks: Json;
    /** 1: its author alone sees and gets it. See `notifications/reports/personal.ts`. */
    personal: Flag;
    paused: Flag;
    created_at: number;
    /** The first day of the next period to report. */
    next_from: string;
    /** When to report it, or to try again. */
    due_at: number;
    /** Failed attempts for this period. */
    attempts: number;
    /** Why the last attempt failed, in a sentence for people. */
    trouble: string | null;
  };
  /** A person of the account, or somebody else by e-mail address. */
  report_recipients: { id: string; report_id: string; user_id: string | null; email: string | null };
  /** The log of reports: what was queued, and which periods were left out. `key`: each period once. */
  report_runs: {
    id: string;
    key: string;
    report_id: string;
    account_id: string;
    date_from: string;
    date_to: string;
    state: 'queued' | 'skipped' | 'on request';
    mails: number;
    created_at: number;
  };
  /** Rules of sites: when to tell whom. See `notifications/alerts/rules.ts`. */
  alerts: {
    id: string;
    site_id: SiteId;
    kind: AlertKind;
    /** Everything that people chose. */
    definition: Json;
    paused: Flag;
    created_at: number;
    /** Since when the job has watched without a gap: hours before it may lack events because the server was down. */
    watched_since: number;
    /** For alerts that count: `counted` events from this time on are told already, so late ones are found by a higher count. */
    counted_from: number;
    counted: number;
    /** The sum of the told payments. */
    counted_amount: number;
    /** When they were last counted. */
    checked_at: number;
  };
  /** What alerts have noticed; see `notifications/alerts/incidents.ts`. */
  incidents: {
    id: string;
    alert_id: string;
    site_id: SiteId;
    /** What happened, and when: an alert has one incident per key. */
    key: string;
    started_at: number;
    /** Null while it lasts. */
    ended_at: number | null;
    facts: Json;
    /** What the recipients know: `nothing`, that it `started`, or `all`. */
    told: Told;
    created_at: number;
  };
  /** Sites that are connected with Google Search Console; see `integrations/search-console/connections.ts`. */
  search_connections: {
    site_id: SiteId;
    /** New with each property that is chosen. The event store's rows have it, so those of an earlier property are never read. */
    id: string;
    /** Null once that person has deleted their login. */
    connected_by: string | null;
    /** The refresh token, encrypted. */
    token: string;
    /** New with each grant: the token is encrypted for it. */
    grant_id: string;
    /** A keyed hash of the id of the Google account that gave the grant. Null if Google did not tell it. */
    google_account: string | null;
    /** As Google names it: `sc-domain:example.com` or `https://example.com/`. Null until somebody chooses one. */
    property: string | null;
    created_at: number;
    /**
     * A pass asks for the days from `pass_from` back to `pass_to`, the newest first. `next_day` is the next one; null between passes. All are
     * days as YYYY-MM-DD, and null before the first pass.
     */
    pass_from: string | null;
    pass_to: string | null;
    next_day: string | null;
    /** The oldest day that was asked for, and the newest one that had rows. */
    oldest_day: string | null;
    latest_day: string | null;
    /** When the job asks next. */
    next_at: number;
    /** When the last successful run ended, and how many days and rows it read. */
    read_at: number | null;
    read_days: number;
    read_rows: number;
    /** Why the last run failed; null if it succeeded. */
    failure: SearchFailure | null;
    failed_at: number | null;
  };
  /** Permissions at Google that nothing uses any more, until they are withdrawn there; see `integrations/search-console/withdrawals.ts`. */
  search_withdrawals: {
    /** The grant's, and the token and the Google account as in `search_connections`. */
    id: string;
    token: string;
    google_account: string | null;
    created_at: number;
    due_at: number;
    attempts: number;
    /** Until when a process may be asking Google. Null while none does. */
    claimed_until: number | null;
  };
  /** The places, words and feeds that are searched for a site; see `integrations/mentions/rules.ts`. */
  mention_rules: { site_id: SiteId; rules: Json };
  /** One request each, with when it is due and how the last one went. */
  mention_searches: {
    site_id: SiteId;
    place: MentionPlace;
    kind: 'domain' | 'words' | 'feed';
    /** A word or the address of a feed. Empty for the domain, which can change. */
    query: string;
    next_at: number;
    /** In a row. */
    failures: number;
    asked_at: number | null;
    outcome: MentionOutcome;
    etag: string | null;
    last_modified: string | null;
    /** A hash of the question that the two validators belong to. */
    known_for: string | null;
    /** Threads of the last answer that could not be read. */
    skipped: number;
  };
  /** Until when a place that limited requests is not asked. */
  mention_pauses: { place: MentionPlace; until: number };
  /** Threads that mention a site. Has no column for authors, so that none can be stored by mistake. */
  mentions: {
    id: string;
    site_id: SiteId;
    place: MentionPlace;
    /** The place's own id of the thread. */
    thread: string;
    title: string;
    url: string;
    posted_at: number;
    points: number | null;
    comments: number | null;
    /** Each change of points and comments. */
    history: Json;
    is_muted: Flag;
    found_at: number;
  };
  /** One random secret per zone and day, destroyed when the day has ended in the zone. */
  salts: { zone: string; day: string; secret: string; created_at: number };
  drops: { site_id: SiteId; day: string; reason: string; count: number };
  /** Finished and running imports, of access logs and of what other products counted. A file is recognised by a fingerprint of its content. */
  imports: {
    id: string;
    site_id: SiteId;
    fingerprint: string;
    format: string;
    /** Names of the files, as their owner called them; '' for an import by "manage import access-log", which no settings list. */
    file: string;
    state: ImportState;
    /** Parts that are stored; by "manage import access-log", lines that are queued or dropped. */
    lines_done: number;
    /** Why rows were not taken, and how many AI visits were; by "manage import access-log", the lines of each kind. */
    tally: Json;
    first_day: string | null;
    last_day: string | null;
    days: number;
    pageviews: number;
    visitors: number;
    /** Days that the import counts for in place of the site's own events. */
    replaced: Json;
    /** Days that earlier imports count for stay theirs. */
    keeps_others: Flag;
    /** Who imported it; null for imports from before this was kept. */
    actor: Extract<Actor, 'person' | 'operator'> | null;
    /** Null also once the person has gone. */
    user_id: string | null;
    /** Until then, one process works on it; in the past, when the last one did. Null for imports by "manage import access-log". */
    claimed_until: number | null;
    created_at: number;
    finished_at: number | null;
  };
  /** Files for a download, kept for a day: see `accounts/exports.ts`. `site_id`: null for all sites of the account. */
  exports: {
    id: string;
    account_id: string;
    site_id: SiteId | null;
    /** Who asked for it. */
    user_id: string;
    kind: ExportKind;
    /** The public key that a sealed export is encrypted for. */
    recipient: string | null;
    state: ExportState;
    tries: number;
    /** Rows that are written, and those of the whole export. */
    done: number;
    total: number;
    /** Of the file; 0 until it is ready. */
    bytes: number;
    /** Until then, one process works on it. */
    claimed_until: number | null;
    created_at: number;
    ready_at: number | null;
  };
  /** The files of exports, where processes on several machines share the database. */
  export_parts: { export_id: string; part: number; content: Uint8Array };
  /** The secret behind the visitor ids of a running import, destroyed when the import is finished. */
  import_secrets: { import_id: string; secret: string; created_at: number };
  /** Deleted sites. A row stays until none of the site's events can still be on its way to the store. */
  deletions: { site_id: SiteId; deleted_at: number };
  /** Every version of the npm package that was ever served, in base64; see `sites/packages.ts`. */
  packages: { name: string; archive: string; created_at: number };
  /** Icons of hosts, keyed by a hash of the host, in base64; null if the host has none. See `integrations/icons/stored.ts`. */
  favicons: { key: string; image: string | null; asked_at: number };
  /** See `integrations/releases.ts`. */
  releases: { version: string; page: string; found_at: number };
  /** See `sites/domains/released-domains.ts`. The account may no longer exist. */
  released_domains: { domain: string; account_id: string; released_at: number };
  /** Accounts that want a domain of another account; see `sites/domains/claims.ts`. */
  domain_claims: { domain: string; account_id: string; created_at: number };
  /** Work that only one process may do at a time; see `server/jobs/lease.ts`. */
  leases: { name: string; holder: string; expires_at: number };
  /** The time up to which each job has run. */
  jobs: { name: string; done_until: number };
  first_start: { token_hash: string; created_at: number };
  /** Mails that wait, and the log of those that were sent or given up; see `server/messages/mail/queue.ts`. */
  mails: {
    id: string;
    /** A mail is queued once per key. */
    key: string;
    kind: string;
    recipient: string;
    /** What the text is made of, null once the mail is sent or given up: it may hold a link that gives access. */
    data: Json | null;
    state: 'waiting' | 'sent' | 'failed';
    created_at: number;
    /** When to try next. */
    due_at: number;
    attempts: number;
    /** The mail server's last answer, or the reason that there is none. */
    answer: string | null;
    /** When it was sent or given up. */
    ended_at: number | null;
  };
  /**
   * Who wants no more mails of a `Subscription`, in `topic`. `recipient`: a keyed hash of the e-mail address; see
   * `server/messages/mail/unsubscribe.ts`.
   */
  mail_refusals: { recipient: string; topic: string; created_at: number };
  /** See `server/messages/webhooks/stored.ts`. */
  webhooks: {
    id: string;
    account_id: string;
    name: string;
    format: WebhookFormat;
    /** The address's host, to show. The address itself is a secret: whoever knows one of Slack or Discord can post there. */
    host: string;
    /** Encrypted, as are the secrets; see `encryption.ts`. */
    url: string;
    /** Null unless the format is `standard`: the others have no signature. */
    secret: string | null;
    /** Signs too until a day after the rotation. */
    previous_secret: string | null;
    rotated_at: number | null;
    /** When the receiver answered that it is gone for good. Nothing is sent until somebody switches the webhook on again. */
    disabled_at: number | null;
    /** Nothing is sent before: an attempt is under way, the receiver asked for a pause, or it does not answer. */
    next_at: number;
    created_at: number;
  };
  /** Deliveries that wait, and the log of those that ended; see `server/messages/webhooks/queue.ts`. */
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    /** The site that the message is about. */
    site_id: SiteId | null;
    /** A message is queued once per webhook and key. */
    key: string;
    /** A `Message` of `server/messages/webhooks/messages.ts`, kept so that it can be sent again. */
    message: Json;
    state: 'waiting' | 'delivered' | 'failed';
    created_at: number;
    /** When it was queued, at first or to be sent again: retries end 24 hours later. */
    queued_at: number;
    /** When to try next. */
    due_at: number;
    attempts: number;
    attempted_at: number | null;
    /** The HTTP status of the last answer. */
    status: number | null;
    /** The last answer, or the reason that there is none. */
    answer: string | null;
    /** When it was delivered or given up. */
    ended_at: number | null;
  };
  /** Random keys of the server itself; see `server-keys.ts`. */
  secrets: { name: string; value: string; created_at: number };
};

export type Account = Selectable<Tables['accounts']>;
export type User = Selectable<Tables['users']>;
