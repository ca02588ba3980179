// Reads and checks the environment: the only place that uses process.env. A test keeps `.env.example` in line with it.
import { existsSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import { readDatabaseAddress } from './vocabulary/addresses/postgres.ts';
import { type Role, ROLES } from './vocabulary/accounts/roles.ts';
import { MENTION_PLACE_NAMES, type MentionPlace } from './vocabulary/settings/mentions.ts';
import { readRedisAddress } from './vocabulary/addresses/redis.ts';
import { addressesOf, mistakeIn } from './vocabulary/addresses/clickhouse.ts';
import { HOUR_MS } from './vocabulary/time/time.ts';

const MAX_WORKERS = 64;

const empty = (value: unknown) => (value === '' ? undefined : value);
const text = z.preprocess(empty, z.string().optional());
const count = (fallback: number) =>
  z.preprocess(empty, z.coerce.number({ error: 'must be a whole number' }).int().min(1).default(fallback));
/** Parts between commas. */
const list = z.preprocess(
  empty,
  z
    .string()
    .default('')
    .transform((parts) => parts.split(',').flatMap((part) => part.trim() || [])),
);
const storeUrl = (protocols: RegExp, example: string) =>
  z.preprocess(empty, z.url({ protocol: protocols, error: `must be an address such as ${example}` }).optional());

const mentionsUrl = (usual: string, place: string) =>
  storeUrl(/^https?$/, usual)
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe(`Address at which ${place} is searched for mentions, instead of ${usual}: a mirror or a test server`);

/** True for `loopback`, an address or a CIDR range. */
function isRange(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    text === 'loopback' ||
    (more === undefined && bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)))
  );
}

const isEmail = /^[^\s@:/]+@[^\s@:/]+$/;

/** `name@example.com`, or `Name <name@example.com>` without line breaks and without characters that a name may not have unquoted. */
const SENDER = /^(?:(?<name>[^\p{Cc}"<>@,;:]{1,100})<)?(?<address>[^\s@<>,;]+@[^\s@<>,;]+?)>?$/u;

function readSender(text: string, context: z.RefinementCtx): { name: string; address: string } {
  const { name = 'Footfall', address } = SENDER.exec(text)?.groups ?? {};
  if (address !== undefined && text.endsWith('>') === text.includes('<')) return { name: name.trim(), address };
  context.addIssue('must be an address such as footfall@example.com or Footfall <footfall@example.com>');
  return z.NEVER;
}

const SIZE = /^(\d{1,6})([mg])$/i;
const MB = 1024 * 1024;
const LEAST_MEMORY = 384 * MB;

/** In bytes. */
function readSize(text: string): number {
  const [, count = '', unit = ''] = SIZE.exec(text) ?? [];
  return Number(count) * (unit.toLowerCase() === 'g' ? 1024 * MB : MB);
}

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;

function readRolePair(pair: string, context: z.RefinementCtx): { value: string; role: Role } {
  const [, value = '', name = ''] = /^(.+)=([^=]*)$/.exec(pair) ?? [];
  const role = ROLES.find((one) => one === name.trim());
  if (value.trim() !== '' && role) return { value: value.trim(), role };
  context.addIssue(`must be a list such as staff=viewer,it=admin, with the roles ${ROLES.join(', ')}`);
  return z.NEVER;
}

/** Checks an address with the function that reads it. */
const addressOf = (read: (text: string) => unknown) =>
  text.superRefine((address, context) => {
    try {
      if (address !== undefined) read(address);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
    }
  });

function isHttpsOrLoopback(url: string | undefined): boolean {
  return url === undefined || url.startsWith('https:') || isLoopbackHost(new URL(url).hostname);
}

export const environment = z.object({
  PORT: z
    .preprocess(
      empty,
      z.coerce.number({ error: 'must be a port from 0 to 65535' }).int().min(0).max(65535).default(3000),
    )
    .describe('Port to listen on'),
  HOST: z.preprocess(empty, z.string().default('127.0.0.1')).describe('Address to listen on'),
  DATA_DIR: z.preprocess(empty, z.string().default('./data')).describe('Folder of the embedded stores'),
  BASE_URL: z
    .preprocess(empty, z.url({ protocol: /^https?$/ }).optional())
    .describe('Address under which people reach Footfall; must be https unless it is this machine'),
  TRUST_PROXY: list
    .refine((ranges) => ranges.every(isRange), 'must be `loopback` or a list of CIDR ranges')
    .describe('Proxies whose X-Forwarded-* headers are trusted: empty, `loopback`, or comma-separated CIDR ranges'),
  REDIS_URL: addressOf(readRedisAddress).describe(
    'Redis, for the queue and the live view: one server, Redis Cluster, or Sentinel',
  ),
  DATABASE_URL: addressOf(readDatabaseAddress).describe('PostgreSQL, for accounts and sites; may name standbys'),
  CLICKHOUSE_URL: addressOf(addressesOf).describe(
    'ClickHouse, for events; several hosts of a cluster with commas between them',
  ),
  CLICKHOUSE_CLUSTER: text
    .refine((name = 'a') => /^[a-z_]\w*$/i.test(name), 'must be a name in remote_servers')
    .describe('Name of the ClickHouse cluster that stores the events; if empty, one server does. See docs/servers.md'),
  S3_ENDPOINT: storeUrl(/^https?$/, 'https://s3.example.com')
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe('Address of S3-compatible storage, for backups to `s3://…`; Amazon’s if empty'),
  S3_REGION: z.preprocess(empty, z.string().default('us-east-1')).describe('Region of the storage'),
  S3_ACCESS_KEY_ID: text.describe('Key id for the storage'),
  S3_SECRET_ACCESS_KEY: text.describe('Secret key for the storage'),
  UPGRADE_BACKUP: text.describe(
    'Folder or `s3://…` to which the stores of an earlier version are backed up before they are upgraded; `off` for none. If empty, `upgrade-backup` in DATA_DIR',
  ),
  ROLE: z
    .preprocess(empty, z.enum(['all', 'web', 'writer']).default('all'))
    .describe('Role of this process: all, web or writer'),
  WORKERS: z
    .preprocess(empty, z.coerce.number({ error: 'must be a whole number' }).int().min(1).max(MAX_WORKERS).optional())
    .describe(
      'Number of processes that take HTTP requests in front of the one with the stores; with 1, one process does everything. If empty, one less than the cores, at most 4 and at most one per GB of memory',
    ),
  MEMORY: z
    .preprocess(
      empty,
      z
        .string()
        .regex(SIZE, { error: 'must be a size such as 512m or 2g' })
        .transform(readSize)
        .refine((bytes) => bytes >= LEAST_MEMORY, 'must be at least 384m')
        .optional(),
    )
    .describe(
      'Memory that Footfall may take, such as `512m`; if empty, that of the machine or container. With less than 1 GB, fewer questions are answered at a time, and caches are smaller',
    ),
  TLS_CERT: text.describe('Certificate file; with TLS_KEY the server speaks TLS itself'),
  TLS_KEY: text.describe('Private key file of TLS_CERT'),
  SECRET_KEY: z
    .preprocess(empty, z.string().min(32, { error: 'must have at least 32 characters' }).optional())
    .describe('Encrypts stored secrets, such as those of authenticator apps; if empty, a key in the directory does'),
  METRICS_TOKEN: z
    .preprocess(
      empty,
      z
        .string()
        .regex(/^\S{32,}$/, { error: 'must have at least 32 characters, and no spaces' })
        .optional(),
    )
    .describe('Token with which Prometheus reads /metrics; without it there are no metrics'),
  SIGNUP: z
    .preprocess(empty, z.enum(['closed', 'open']).default('closed'))
    .describe('Sign-up: closed or open. With mail set up, people confirm their address first'),
  OIDC_ISSUER: storeUrl(/^https?$/, 'https://login.example.com')
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe('OpenID Connect issuer, for single sign-on; see docs/single-sign-on.md'),
  OIDC_CLIENT_ID: text.describe('Client id that the issuer gave to Footfall'),
  OIDC_CLIENT_SECRET: text.describe('Client secret that the issuer gave to Footfall'),
  OIDC_ALLOWED_DOMAINS: list
    .refine(
      (domains) => domains.every((domain) => DOMAIN.test(domain)),
      'must be a list of domains such as example.com',
    )
    .transform((domains) => domains.map((domain) => domain.toLowerCase()))
    .describe('Domains of the e-mail addresses that may log in through the issuer, separated by commas'),
  OIDC_NAME: z
    .preprocess(empty, z.string().max(30).default('single sign-on'))
    .describe('Name of the issuer on the login page: “Log in with …”'),
  OIDC_SCOPES: z
    .preprocess(empty, z.string().default('openid email profile'))
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must include `openid`')
    .describe('Scopes that are asked of the issuer, separated by spaces'),
  OIDC_ROLE_CLAIM: text.describe('Claim that decides the role at each login, such as `groups`; if empty, people do'),
  OIDC_ROLES: list
    .transform((pairs, context) => pairs.map((pair) => readRolePair(pair, context)))
    .describe(
      'Roles by value of OIDC_ROLE_CLAIM, such as `staff=viewer,it=admin`; the first one that matches counts. If empty, the values are `admin`, `billing` and `viewer`',
    ),
  OIDC_SESSION_HOURS: count(24).describe('Hours after which people who logged in through the issuer must do so again'),
  DEMO: z
    .preprocess(empty, z.enum(['off', 'on']).default('off'))
    .describe(
      'Set to on to open the demo site (made by `npm run seed`) to everybody, with a link on the start page; its visitors then go on coming',
    ),
  PUBLIC_DASHBOARDS: z
    .preprocess(empty, z.enum(['on', 'off']).default('on'))
    .describe('Dashboards that owners open to everybody at /share/DOMAIN: on or off; see docs/share-links.md'),
  DIRECTORY: z
    .preprocess(empty, z.enum(['off', 'on']).default('off'))
    .describe('Set to on to list the public dashboards of this server at /share'),
  BILLING: z
    .preprocess(empty, z.enum(['on', 'off']).default('on'))
    .describe('Set to off for private servers: every account is then on Pro forever'),
  STRIPE_SECRET_KEY: text.describe('Secret key of Stripe; if all four Stripe variables are set, trials end'),
  STRIPE_WEBHOOK_SECRET: text.describe('Signing secret of the Stripe webhook'),
  STRIPE_PRICE_STARTER: text.describe('Stripe id of the monthly price of Starter'),
  STRIPE_PRICE_PRO: text.describe('Stripe id of the monthly price of Pro'),
  STRIPE_API_URL: storeUrl(/^https?$/, 'https://api.stripe.com')
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe('Address of Stripe’s API, to replace it by a mirror or a test server'),
  GOOGLE_CLIENT_ID: text.describe(
    'Client id of a Google OAuth client, to connect sites with Search Console; see docs/search-console.md',
  ),
  GOOGLE_CLIENT_SECRET: text.describe('Client secret of that OAuth client'),
  GOOGLE_API_URL: storeUrl(/^https?$/, 'https://google.example.com')
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe('Address in place of all of Google’s, to replace them by a mirror or a test server'),
  QUOTA: z
    .preprocess(empty, z.enum(['record', 'drop']).default('record'))
    .describe('What to do with events above 10,000 a month, except of the first account: record or drop'),
  RATE_LIMIT_PER_MINUTE: count(600).describe('API requests per minute for each key'),
  RATE_LIMIT_PER_SECOND: count(50).describe('API requests per second for each key'),
  FLOOD_VISITORS: count(60).describe('New visitors per minute from one address; more are dropped'),
  FLOOD_EVENTS: count(50).describe('Events per second from one address; more are dropped'),
  SMTP_URL: storeUrl(/^smtps?$/, 'smtps://user:password@mail.example.com').describe(
    'Mail server; without it no mail is sent, and links are shown to copy. TLS is required except on this machine, unless the address ends in `?requireTLS=false`',
  ),
  MAIL_FROM: z
    .preprocess(empty, z.string().transform(readSender).optional())
    .describe('Sender of mails, such as `Footfall <footfall@example.com>`; goes with SMTP_URL'),
  SOCKETS: count(5_000).describe(
    'Open dashboards of members on one process; viewers of share links get half as many, and may all have one link',
  ),
  SITES_PER_ACCOUNT: count(100).describe('Maximum number of sites per account; the command line ignores it'),
  SECURITY_CONTACT: z
    .preprocess(
      (value) => (typeof value === 'string' && isEmail.test(value) ? `mailto:${value}` : empty(value)),
      z.url({ protocol: /^(https|mailto|tel)$/, error: 'must be an e-mail address, or an https address' }).optional(),
    )
    .describe('Contact for security reports, shown in /.well-known/security.txt: an e-mail or https address'),
  GEOIP_DB: text.describe('City database in MMDB format, to use instead of the built-in one'),
  OUTGOING_PROXY: storeUrl(/^https?$/, 'http://user:password@proxy.example.com:3128').describe(
    'HTTP proxy for requests to addresses that people enter, such as webhooks, and to Google; names are still resolved by this machine',
  ),
  FAVICONS: z
    .preprocess(empty, z.enum(['on', 'off']).default('on'))
    .describe('Icons of sites and sources, fetched by the server: on or off; if off, letters are shown instead'),
  MENTIONS_HACKER_NEWS_URL: mentionsUrl('https://hn.algolia.com', 'Hacker News'),
  MENTIONS_REDDIT_URL: mentionsUrl('https://www.reddit.com', 'Reddit'),
  MENTIONS_LOBSTERS_URL: mentionsUrl('https://lobste.rs', 'Lobsters'),
  MENTIONS_MASTODON_URL: mentionsUrl('https://mastodon.social', 'Mastodon'),
  MENTIONS_BLUESKY_URL: mentionsUrl('https://api.bsky.app', 'Bluesky'),
  MENTIONS_DEV_TO_URL: mentionsUrl('https://dev.to', 'DEV'),
  MENTIONS_GITHUB_URL: mentionsUrl('https://api.github.com', 'GitHub'),
  UPDATE_URL: storeUrl(/^https?$/, 'https://api.github.com/repos/OWNER/REPOSITORY/releases/latest')
    .refine(isHttpsOrLoopback, 'must be https unless it is this machine')
    .describe(
      'Address that is asked once a day for the newest release of Footfall, in the form of GitHub, Gitea and Forgejo: `https://api.github.com/repos/OWNER/REPOSITORY/releases/latest`. If empty, nothing is asked',
    ),
  LOG_LEVEL: z
    .preprocess(empty, z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'))
    .describe('Log level: silent, error, warn, info or debug'),
  NODE_ENV: z
    .preprocess(empty, z.enum(['production', 'development', 'test']).default('production'))
    .describe('Set to development to serve the dashboard through Vite'),
});

export type Config = Readonly<z.output<typeof environment>>;

/** MEMORY in bytes, for sizes that are fixed before the rest is read. Infinity without it; a wrong one is refused with the rest. */
export const memoryAllowed = (): number => environment.shape.MEMORY.safeParse(process.env['MEMORY']).data ?? Infinity;

type Locale = Readonly<Partial<Record<'LC_ALL' | 'LC_MESSAGES' | 'LANG', string>>>;

/** The language of the terminal, such as de-AT for `de_AT.UTF-8`: that of the first variable which is set (POSIX). Undefined for `C` and `POSIX`. */
export function terminalLanguage({ LC_ALL, LC_MESSAGES, LANG }: Locale = process.env): string | undefined {
  const [, language, region] =
    /^([a-z]{2,3})(?:_([A-Z]{2}))?(?:[.@]|$)/.exec(LC_ALL || LC_MESSAGES || LANG || '') ?? [];
  return region === undefined ? language : `${language}-${region}`;
}

/** True if people reach this server over HTTPS only. */
export function isServedSecurely({ BASE_URL, TLS_CERT }: Pick<Config, 'BASE_URL' | 'TLS_CERT'>): boolean {
  return BASE_URL?.startsWith('https:') ?? Boolean(TLS_CERT);
}

/** The addresses that the operator has chosen for searching places. */
export const mentionBasesOf = (config: Config): Partial<Record<MentionPlace, string>> =>
  Object.fromEntries(
    MENTION_PLACE_NAMES.flatMap((place) => {
      const base = place === 'feed' ? undefined : config[`MENTIONS_${upperCase(place)}_URL`];
      return base === undefined ? [] : [[place, base]];
    }),
  );

const upperCase = <Text extends string>(text: Text) => text.toUpperCase() as Uppercase<Text>;

/** `on`: accounts can pay. `unset`: Stripe is not configured, so no trial ends by itself. `off`: accounts have no plans. */
export type Billing = 'on' | 'unset' | 'off';

const STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_STARTER', 'STRIPE_PRICE_PRO'] as const;

export function billingOf(config: Pick<Config, 'BILLING' | (typeof STRIPE)[number]>): Billing {
  if (config.BILLING === 'off') return 'off';
  return STRIPE.every((name) => config[name] !== undefined) ? 'on' : 'unset';
}

const OIDC = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ALLOWED_DOMAINS', 'BASE_URL'] as const;

/** The OAuth client for Search Console, as it is configured. */
export type GoogleClient = {
  clientId: string;
  clientSecret: string;
  /** Replaces the addresses of Google. */
  apiUrl: string | undefined;
  /** The origin of our own pages. */
  origin: string;
};

/** Undefined unless the operator has set up a client. */
export function googleOf(config: Config): GoogleClient | undefined {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_API_URL: apiUrl } = config;
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret, apiUrl, origin: ownOrigin(config) };
}

/** Single sign-on, as it is configured. */
export type Oidc = {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** Completes "Log in with …". */
  name: string;
  scopes: string;
  /** Lower case. */
  allowedDomains: readonly string[];
  /** `roles`: the first one whose value the claim has counts. Undefined if people assign the roles. */
  roleBy: { claim: string; roles: readonly { value: string; role: Role }[] } | undefined;
  sessionMs: number;
  /** The origin of our own pages. */
  origin: string;
};

const SAME_NAMES = (['admin', 'billing', 'viewer'] as const).map((role) => ({ value: role, role }));

/** Undefined without OIDC_ISSUER. */
export function oidcOf(config: Config): Oidc | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLE_CLAIM, OIDC_ROLES } = config;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined) return undefined;
  const roles = OIDC_ROLES.length > 0 ? OIDC_ROLES : SAME_NAMES;
  return {
    issuer: new URL(OIDC_ISSUER),
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    name: config.OIDC_NAME,
    scopes: config.OIDC_SCOPES,
    allowedDomains: config.OIDC_ALLOWED_DOMAINS,
    roleBy: OIDC_ROLE_CLAIM === undefined ? undefined : { claim: OIDC_ROLE_CLAIM, roles },
    sessionMs: config.OIDC_SESSION_HOURS * HOUR_MS,
    origin: ownOrigin(config),
  };
}

function checkOidc(config: Config): void {
  const isUnset = (name: (typeof OIDC)[number]) => (config[name]?.length ?? 0) === 0;
  const missing = OIDC.filter(isUnset);
  const given = OIDC.filter((name) => name !== 'BASE_URL' && !isUnset(name));
  if (given.length > 0 && missing.length > 0)
    throw new ConfigError(
      `Single sign-on needs ${missing.join(' and ')} too: set them, or none of the OIDC variables.`,
    );
  if (config.OIDC_ROLES.length > 0 && config.OIDC_ROLE_CLAIM === undefined)
    throw new ConfigError('OIDC_ROLES: set OIDC_ROLE_CLAIM to the claim that has these values.');
}

/** A mistake in the configuration. The message tells the operator what to change. */
export class ConfigError extends Error {}

/** Reads the environment of this process and the file `.env` in the working directory. Throws a ConfigError. */
export function readEnvironment(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig(process.env);
}

/** Checks the whole environment. Throws a ConfigError with one line per mistake. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  const config = parsed.data;
  if (Boolean(config.TLS_CERT) !== Boolean(config.TLS_KEY))
    throw new ConfigError('TLS_CERT and TLS_KEY go together: set both or neither.');
  if (Boolean(config.SMTP_URL) !== Boolean(config.MAIL_FROM))
    throw new ConfigError('SMTP_URL and MAIL_FROM go together: set both or neither.');
  if (Boolean(config.GOOGLE_CLIENT_ID) !== Boolean(config.GOOGLE_CLIENT_SECRET))
    throw new ConfigError('GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET go together: set both or neither.');
  const missing = STRIPE.filter((name) => config[name] === undefined);
  if (missing.length > 0 && missing.length < STRIPE.length)
    throw new ConfigError(
      `Billing needs all of Stripe's variables: set ${missing.join(' and ')} too, or none of them.`,
    );
  checkOidc(config);
  if (!isHttpsOrLoopback(config.BASE_URL))
    throw new ConfigError(
      'BASE_URL: must be https unless it names this machine, because passwords and keys cross the network.',
    );
  const listensOn = URL.parse(`http://${hostInUrl(config.HOST)}`)?.hostname;
  if (!config.BASE_URL && !config.TLS_CERT && !(listensOn !== undefined && isLoopbackHost(listensOn)))
    throw new ConfigError(
      `HOST: ${config.HOST} can be reached from other machines, and passwords and keys would cross the network in plain HTTP. ` +
        'Set BASE_URL to the https address under which people reach Footfall, or TLS_CERT and TLS_KEY.',
    );
  const mistake = mistakeIn(config.CLICKHOUSE_URL, config.CLICKHOUSE_CLUSTER);
  if (mistake) throw new ConfigError(mistake);
  const embedded = [!config.CLICKHOUSE_URL && 'CLICKHOUSE_URL', !config.REDIS_URL && 'REDIS_URL'].filter(Boolean);
  if (config.ROLE !== 'all' && embedded.length > 0)
    throw new ConfigError(`ROLE=${config.ROLE}: needs stores that processes can share: set ${embedded.join(' and ')}.`);
  return config;
}

/** The origin of links to this server that go into mails and files. It never comes from a request, whose Host header anybody can set. */
export function ownOrigin({ BASE_URL, TLS_CERT, PORT }: Pick<Config, 'BASE_URL' | 'TLS_CERT' | 'PORT'>): string {
  return new URL(BASE_URL ?? `${TLS_CERT ? 'https' : 'http'}://localhost:${PORT}`).origin;
}

/** True if a host name, as `URL` writes it, is this machine. Ignores a dot at the end. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    name === '[::1]' ||
    /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(name)
  );
}

/** An address as a URL writes it: IPv6 in brackets. */
export function hostInUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
