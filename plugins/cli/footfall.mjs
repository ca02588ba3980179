#!/usr/bin/env node
// `footfall`: the numbers of a site in a terminal, from the API. One file without dependencies, in plain JavaScript: Node strips no types
// in packages. Names come from visitors, so nothing is printed before `visible` or `toJson` has seen it: escapes could rewrite the screen.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Each command about a list: its dimension, and the metric that sorts it. */
const LISTS = {
  pages: { dimension: 'page', metric: 'pageviews', title: 'Page' },
  sources: { dimension: 'source', metric: 'unique_visitors', title: 'Source' },
  countries: { dimension: 'country', metric: 'unique_visitors', title: 'Country' },
  events: { dimension: 'event', metric: 'events', title: 'Event' },
};
const WORDS = { pageviews: 'page views', unique_visitors: 'visitors', events: 'events' };
const TIMEOUT_MS = 30_000; // the server gives up after that, too
/** Answers of the API are cached for a minute, so faster is of no use. */
const USUAL_SECONDS = 60;
const MAX_NAME = 60; // columns
const MAX_BAR = 24;
const SITES_PER_PAGE = 100;

const HELP = `footfall: the numbers of a site in the terminal

  footfall                visitors and page views of a period, and each of its steps
  footfall pages          the pages with the most views
  footfall sources        where visitors come from
  footfall countries      where they are
  footfall events         what they do
  footfall live           the last 60 minutes, drawn again every minute
  footfall sites          the sites of the account

  --site DOMAIN           or an id; not needed if the account has one site
  --period PERIOD         30d by default; footfall alone knows today, 7d and 30d, the lists also 24h, month, year, all …
  --limit NUMBER          rows of a list, 10 by default
  --every SECONDS         how often live is drawn, at least 10; --times NUMBER: ends after so many
  --json                  the answer of the API, for programs

FOOTFALL_URL is the address of Footfall, such as https://stats.example.com, and FOOTFALL_KEY an API key from the settings.
`;

const OPTIONS = {
  site: { type: 'string' },
  period: { type: 'string', default: '30d' },
  limit: { type: 'string', default: '10' },
  every: { type: 'string', default: String(USUAL_SECONDS) },
  times: { type: 'string', default: 'Infinity' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

/** A sentence for the person at the terminal. `code` is the process's: 2 if the command was wrong. */
class Failure extends Error {
  constructor(message, code = 1) {
    super(message);
    this.code = code;
  }
}

/** Control, format and private-use characters, lone surrogates, and line breaks. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;
const visible = (text) => String(text).replace(UNSEEN, ' ').trim();

/** The same value for programs; what could reach a terminal is written as an escape of JSON. */
const toJson = (value) =>
  JSON.stringify(value).replace(UNSEEN, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

function readNumber(name, text, least) {
  const value = Number(text);
  if (!/^\d+$|^Infinity$/.test(text) || value < least)
    throw new Failure(`--${name} must be a whole number from ${least}.`, 2);
  return value;
}

function readCommand(args) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const [command = 'figures', ...more] = positionals;
    if (more.length > 0) throw new Failure('Give one command: footfall --help lists them.', 2);
    const limit = readNumber('limit', values.limit, 1);
    return {
      ...values,
      command,
      limit,
      every: readNumber('every', values.every, 10),
      times: readNumber('times', values.times, 1),
    };
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure(`${visible(error.message)}\nfootfall --help lists the options.`, 2);
  }
}

function readAddress(text) {
  if (!text) throw new Failure('Set FOOTFALL_URL to the address of Footfall, such as https://stats.example.com.', 2);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new Failure('FOOTFALL_URL must be an address such as https://stats.example.com.', 2);
  return url.origin;
}

function readKey(text) {
  if (!text)
    throw new Failure(
      'Set FOOTFALL_KEY to an API key: create one in the dashboard, under Account settings, API keys.',
      2,
    );
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Failure('FOOTFALL_KEY must be one API key, without spaces.', 2);
  return text;
}

/** Returns a function that asks the API. Redirects are not followed: the key is for this server alone. */
function openApi(env) {
  const origin = readAddress(env.FOOTFALL_URL);
  const key = readKey(env.FOOTFALL_KEY);
  return async (path, query = {}) => {
    const defined = Object.entries(query).filter(([, value]) => value !== undefined);
    const url = `${origin}/v1/${path}?${new URLSearchParams(defined)}`;
    const headers = { authorization: `Bearer ${key}` };
    const [answer, text] = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then(async (response) => [response, await response.text()])
      .catch((error) => {
        const why =
          error.name === 'TimeoutError' ? 'no answer within 30 seconds' : (error.cause?.code ?? error.message);
        throw new Failure(`Footfall at ${origin} cannot be reached: ${visible(why)}.`);
      });
    return readAnswer(origin, answer, text);
  };
}

function readAnswer(origin, { status, headers }, text) {
  if (status === 401) throw new Failure('Footfall does not know the key in FOOTFALL_KEY: it may have been revoked.');
  if (status === 429)
    throw new Failure(`Too many requests: try again in ${visible(headers.get('retry-after') ?? 'a few')} seconds.`);
  if (status >= 300 && status < 400)
    throw new Failure(
      `${origin} leads to ${visible(headers.get('location'))}: set FOOTFALL_URL to the address of Footfall.`,
    );
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Failure(`${origin} answered ${status}, but not as Footfall does: check FOOTFALL_URL.`);
  }
  if (status !== 200) throw new Failure(visible(body?.message ?? `Footfall answered ${status}.`));
  return body;
}

async function listSites(ask) {
  const sites = [];
  for (let page = 1; ; page += 1) {
    const { data } = await ask('sites', { page, per_page: SITES_PER_PAGE });
    sites.push(...data);
    if (data.length < SITES_PER_PAGE) return sites;
  }
}

/** The site that was named, or the only one. */
async function findSite(ask, named) {
  const sites = await listSites(ask);
  const found = sites.filter(({ id, domain }) => named === undefined || named === id || named === domain);
  if (found.length === 1) return found[0];
  if (sites.length === 0) throw new Failure('The account has no site yet.');
  const known = visible(
    sites
      .slice(0, 10)
      .map(({ domain }) => domain)
      .join(', '),
  );
  throw new Failure(
    named === undefined
      ? `Say which site: --site with one of ${known}.`
      : `No site ${visible(named)}. There are: ${known}.`,
    2,
  );
}

const number = (value) => value.toLocaleString('en');

/** Rows of `[name, count]` with bars. */
function draw(title, counted, rows) {
  if (rows.length === 0) return [`${title}: none`];
  const names = rows.map(([name]) => [...visible(name)].slice(0, MAX_NAME).join('') || '(unknown)');
  const width = Math.max(title.length, ...names.map((name) => [...name].length));
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const column = Math.max(counted.length, ...rows.map(([, count]) => number(count).length));
  return [
    `${title.padEnd(width)}  ${counted.padStart(column)}`,
    ...rows.map(([, count], at) => {
      const name = names[at] + ' '.repeat(width - [...names[at]].length);
      return `${name}  ${number(count).padStart(column)} ${'█'.repeat(Math.round((count / most) * MAX_BAR))}`.trimEnd();
    }),
  ];
}

async function figures(ask, site, { period, limit }) {
  const asked = { site_id: site.id, period, timezone: 'site' };
  const stats = await ask('stats', { ...asked, limit });
  const series = await ask('stats/timeseries', asked);
  const { unique_visitors, pageviews, top_pages, date_from, date_to } = stats.data;
  const steps = series.data.map((step) => [step.time.replace('T', ' ').slice(0, 16), step.pageviews]);
  const lines = [
    visible(`${site.domain}, ${date_from} to ${date_to}`),
    `${number(unique_visitors)} visitors, ${number(pageviews)} page views`,
    '',
    ...draw('Time', 'page views', steps),
    '',
    ...draw(
      'Page',
      'page views',
      top_pages.map(({ path, views }) => [path, views]),
    ),
  ];
  return { lines, data: { stats: stats.data, timeseries: series.data } };
}

async function list(ask, site, { command, period, limit }) {
  const { dimension, metric, title } = LISTS[command];
  const { data } = await ask('stats/breakdown', {
    site_id: site.id,
    period,
    timezone: 'site',
    dimension,
    metrics: metric,
    per_page: limit,
  });
  return {
    lines: draw(
      title,
      WORDS[metric],
      data.map((row) => [row[dimension], row[metric]]),
    ),
    data,
  };
}

async function live(ask, site, { limit }) {
  const period = '60m';
  const minutes = await ask('stats/timeseries', { site_id: site.id, period, interval: 'minute' });
  const pages = await list(ask, site, { command: 'pages', period, limit });
  const sources = await list(ask, site, { command: 'sources', period, limit });
  const views = minutes.data.map((step) => step.pageviews);
  const most = Math.max(1, ...views);
  const total = views.reduce((sum, one) => sum + one, 0);
  const lines = [
    `${visible(site.domain)}, the last 60 minutes: ${number(total)} page views`,
    views.map((one) => ' ▁▂▃▄▅▆▇█'[Math.ceil((one / most) * 8)]).join(''),
    '',
    ...pages.lines,
    '',
    ...sources.lines,
  ];
  return { lines, data: { timeseries: minutes.data, pages: pages.data, sources: sources.data } };
}

const COMMANDS = { figures, live, ...Object.fromEntries(Object.keys(LISTS).map((name) => [name, list])) };

/** Runs a command and returns the exit code. `sleep` takes milliseconds. */
export async function run(args, { env, write, complain, isTerminal, sleep }) {
  try {
    const asked = readCommand(args);
    const show = ({ lines, data }) => write(asked.json ? `${toJson(data)}\n` : `${lines.join('\n')}\n`);
    if (asked.help) {
      write(HELP);
      return 0;
    }
    const isKnown = asked.command === 'sites' || Object.hasOwn(COMMANDS, asked.command);
    if (!isKnown) throw new Failure(`No command ${visible(asked.command)}: footfall --help lists them.`, 2);
    const ask = openApi(env);
    if (asked.command === 'sites') {
      const data = await listSites(ask);
      show({ lines: data.map(({ id, domain }) => visible(`${id}  ${domain}`)), data });
      return 0;
    }
    const site = await findSite(ask, asked.site);
    const times = asked.command === 'live' ? asked.times : 1;
    for (let drawn = 0; drawn < times; drawn += 1) {
      if (drawn > 0) await sleep(asked.every * 1000);
      const answer = await COMMANDS[asked.command](ask, site, asked).catch((error) => {
        if (drawn === 0 || !(error instanceof Failure)) throw error;
        complain(`${error.message}\n`); // a restart of the server does not end what runs all day
      });
      if (!answer) continue;
      // Home, then erase what is below: the terminal keeps its history.
      if (times > 1 && isTerminal && !asked.json) write(drawn === 0 ? '\x1b[2J\x1b[H' : '\x1b[H\x1b[J');
      show(answer);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    complain(`${error.message}\n`);
    return error.code;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.stdout.on('error', () => process.exit(0)); // `| head` has read enough
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    write: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
}
