// The environment as one schema: the only reader of process.env. `.env.example` is kept true to it by a test.
import { existsSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';

const empty = (value: unknown) => (value === '' ? undefined : value);
const text = z.preprocess(empty, z.string().optional());
const count = (fallback: number) =>
  z.preprocess(empty, z.coerce.number({ error: 'must be a whole number' }).int().min(1).default(fallback));
const storeUrl = (protocols: RegExp, example: string) =>
  z.preprocess(empty, z.url({ protocol: protocols, error: `must be an address such as ${example}` }).optional());

/** `loopback`, an address, or an address with a prefix length that it can have. */
function isRange(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    text === 'loopback' ||
    (more === undefined && bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)))
  );
}

const isEmail = /^[^\s@:/]+@[^\s@:/]+$/;

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
    .describe('Address under which people reach Footfall; https on any host but this machine'),
  TRUST_PROXY: z
    .preprocess(
      empty,
      z
        .string()
        .default('')
        .transform((list) => list.split(',').flatMap((part) => part.trim() || []))
        .refine((list) => list.every(isRange), 'must be `loopback` or a list of CIDR ranges'),
    )
    .describe('Proxies whose X-Forwarded-* headers are believed: empty, `loopback`, or CIDR ranges with commas'),
  REDIS_URL: storeUrl(/^rediss?$/, 'redis://localhost:6379').describe('Redis for queue and live windows'),
  DATABASE_URL: storeUrl(/^postgres(ql)?$/, 'postgres://user:password@localhost/footfall').describe(
    'PostgreSQL for accounts and sites',
  ),
  CLICKHOUSE_URL: storeUrl(/^https?$/, 'http://user:password@localhost:8123/footfall').describe(
    'ClickHouse for events',
  ),
  ROLE: z
    .preprocess(empty, z.enum(['all', 'web', 'writer']).default('all'))
    .describe('What this process does: all, web or writer'),
  TLS_CERT: text.describe('Certificate file: with TLS_KEY the server speaks TLS itself'),
  TLS_KEY: text.describe('Private key file of TLS_CERT'),
  SIGNUP: z
    .preprocess(empty, z.enum(['closed', 'open']).default('closed'))
    .describe('Who may sign up after the first account'),
  BILLING: z
    .preprocess(empty, z.enum(['on', 'off']).default('on'))
    .describe('off makes every account Pro for good, for those who host it for themselves'),
  STRIPE_SECRET_KEY: text.describe('Secret key of Stripe: with the next three, trials of new accounts end'),
  STRIPE_WEBHOOK_SECRET: text.describe('Signing secret of the webhook in Stripe'),
  STRIPE_PRICE_STARTER: text.describe('Id of the monthly price of Starter in Stripe'),
  STRIPE_PRICE_PRO: text.describe('Id of the monthly price of Pro in Stripe'),
  QUOTA: z
    .preprocess(empty, z.enum(['record', 'drop']).default('record'))
    .describe('What happens to events past the monthly quota'),
  RATE_LIMIT_PER_MINUTE: count(600).describe('API requests a minute for each key'),
  RATE_LIMIT_PER_SECOND: count(50).describe('API requests a second for each key'),
  FLOOD_VISITORS: count(60).describe('New visitors a minute that one address may bring; the rest is dropped'),
  FLOOD_EVENTS: count(50).describe('Events a second that one address may send; the rest is dropped'),
  SITES_PER_ACCOUNT: count(100).describe('Sites that an account can have; the command line may make more'),
  SECURITY_CONTACT: z
    .preprocess(
      (value) => (typeof value === 'string' && isEmail.test(value) ? `mailto:${value}` : empty(value)),
      z.url({ protocol: /^(https|mailto|tel)$/, error: 'must be an e-mail address, or an https address' }).optional(),
    )
    .describe('Whom to tell about security holes, in /.well-known/security.txt: an e-mail or https address'),
  GEOIP_DB: text.describe('City database in MMDB format, in place of the one that comes with Footfall'),
  LOG_LEVEL: z
    .preprocess(empty, z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'))
    .describe('How much is logged'),
  NODE_ENV: z
    .preprocess(empty, z.enum(['production', 'development', 'test']).default('production'))
    .describe('development serves the dashboard through Vite'),
});

export type Config = Readonly<z.output<typeof environment>>;

/** `on`: accounts can pay. `unset`: there is nothing to buy, so no trial ends by itself. `off`: no account has a plan. */
export type Billing = 'on' | 'unset' | 'off';

const STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICE_STARTER', 'STRIPE_PRICE_PRO'] as const;

export function billingOf(config: Pick<Config, 'BILLING' | (typeof STRIPE)[number]>): Billing {
  if (config.BILLING === 'off') return 'off';
  return STRIPE.every((name) => config[name] !== undefined) ? 'on' : 'unset';
}

/** What the operator has to change before the server can start, as a sentence. */
export class ConfigError extends Error {}

/** The environment of this process, with what a file `.env` beside it adds. Throws a ConfigError. */
export function readEnvironment(): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readConfig(process.env);
}

/** Checks the whole environment at once. Throws a ConfigError whose message says, a line each, what to mend. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = environment.safeParse(env);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  const config = parsed.data;
  if (Boolean(config.TLS_CERT) !== Boolean(config.TLS_KEY))
    throw new ConfigError('TLS_CERT and TLS_KEY go together: set both or neither.');
  const missing = STRIPE.filter((name) => config[name] === undefined);
  if (missing.length > 0 && missing.length < STRIPE.length)
    throw new ConfigError(
      `Billing needs all of Stripe's variables: set ${missing.join(' and ')} too, or none of them.`,
    );
  if (
    config.BASE_URL &&
    new URL(config.BASE_URL).protocol === 'http:' &&
    !isLoopbackHost(new URL(config.BASE_URL).hostname)
  )
    throw new ConfigError('BASE_URL: must be https on any host but this machine, since passwords and keys cross it.');
  const listensOn = URL.parse(`http://${hostInUrl(config.HOST)}`)?.hostname;
  if (!config.BASE_URL && !config.TLS_CERT && !(listensOn !== undefined && isLoopbackHost(listensOn)))
    throw new ConfigError(
      `HOST: ${config.HOST} can be reached from other machines, and passwords and keys would cross the network in plain HTTP. ` +
        'Set BASE_URL to the https address under which people reach Footfall, or TLS_CERT and TLS_KEY.',
    );
  const embedded = [!config.CLICKHOUSE_URL && 'CLICKHOUSE_URL', !config.REDIS_URL && 'REDIS_URL'].filter(Boolean);
  if (config.ROLE !== 'all' && embedded.length > 0)
    throw new ConfigError(`ROLE=${config.ROLE}: needs stores that processes can share; set ${embedded.join(' and ')}.`);
  return config;
}

/** Whether a host name, as `URL` writes it, stands for this machine. A dot at the end changes nothing. */
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

/** An address to listen on as it stands in a URL. */
export function hostInUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
