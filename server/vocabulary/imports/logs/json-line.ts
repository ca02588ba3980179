// Lines of JSON: those of Caddy, Traefik, CloudFront and Cloudflare by their documented names, and those of nginx and others by the names that people
// give them. A line of another format may also be the `log` or `message` of an object, as containers and collectors write it.
import { instantOf, readInstant } from '../values/dates.ts';
import { isObject, type JsonObject } from '../reading/json.ts';
import { CLOCK, clockTime, hostOf, type LogLine, readBytes, readRequest, statusOf, withoutPort } from './line.ts';

/** By what a line says: the names that it may have, the better ones first. */
const NAMES = {
  address:
    'client_ip remote_ip remote_addr remoteAddr ip clientip clientIp client_addr remote_address remoteAddress remote_host c-ip ClientHost ClientIP ClientAddr client RemoteIP',
  time: 'ts time_iso8601 @timestamp timestamp time time_local StartUTC StartLocal EdgeStartTimestamp msec datetime date_time date start_time Time',
  request: 'request Request',
  method: 'request_method method RequestMethod cs-method ClientRequestMethod http_method httpMethod verb Method',
  uri: 'request_uri uri RequestPath cs-uri-stem ClientRequestURI path url requestUri request_path request_url',
  query: 'cs-uri-query args query_string query Query',
  status:
    'status DownstreamStatus sc-status EdgeResponseStatus status_code statusCode response_status response_code response code Status',
  bytes: 'body_bytes_sent bytes_sent size DownstreamContentSize sc-bytes EdgeResponseBytes bytes',
  referrer: 'http_referer http_referrer referer referrer request_Referer cs(Referer) ClientRequestReferer Referer',
  userAgent:
    'http_user_agent user_agent userAgent useragent request_User-Agent cs(User-Agent) ClientRequestUserAgent agent ua UserAgent User-Agent',
  host: 'http_host host RequestHost x-host-header ClientRequestHost vhost virtual_host server_name Host',
} as const;
type Field = keyof typeof NAMES;
const FIELDS = Object.fromEntries(Object.entries(NAMES).map(([field, names]) => [field, names.split(' ')])) as Record<
  Field,
  string[]
>;

/** `readOther` reads a line that stands within the object. */
export function readJson(line: string, readOther: (line: string) => LogLine | undefined): LogLine | undefined {
  const object = parse(line);
  if (!object) return undefined;
  const found = readObject(object);
  if (found) return found;
  const inner = textOf(own(object, 'log') ?? own(object, 'message') ?? own(object, 'MESSAGE')).trimEnd();
  return inner === '' || inner.startsWith('{') ? undefined : readOther(inner);
}

/** Without `escape=json`, nginx writes `\x22` for a quote, which JSON does not have. */
const HEX = /\\\\|((?:\\x[0-9A-Fa-f]{2})+)/g;

function parse(line: string): JsonObject | undefined {
  const text = line.includes('\\x')
    ? line.replace(HEX, (all, run?: string) => (run === undefined ? all : JSON.stringify(readBytes(run)).slice(1, -1)))
    : line;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const own = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

/** A text or number; of a header that came several times, the first. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value === '-' ? '' : value.toWellFormed();
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) && typeof value[0] === 'string' ? textOf(value[0]) : '';
}

function firstOf(objects: readonly JsonObject[], names: readonly string[]): string {
  for (const object of objects)
    for (const name of names) {
      const text = textOf(own(object, name));
      if (text !== '') return text;
    }
  return '';
}

function readObject(object: JsonObject): LogLine | undefined {
  // Caddy has the request in an object of its own, and its headers in another.
  const request = own(object, 'request');
  const inner = isObject(request) ? request : {};
  const headers = own(inner, 'headers');
  const objects = [object, inner, isObject(headers) ? headers : {}];
  const say = (field: Field) => firstOf(objects, FIELDS[field]);
  const time = timeOf(objects, say('time'));
  const status = statusOf(say('status'));
  const asked = requestOf(say);
  const address = say('address');
  if (time === undefined || status === undefined || !asked || address === '') return undefined;
  return {
    address: withoutPort(address),
    time,
    method: asked.method,
    target: asked.target,
    status,
    bytes: say('bytes'),
    referrer: say('referrer'),
    userAgent: say('userAgent'),
    host: hostOf(say('host')),
  };
}

/** From a request line, or from a method and an address. */
function requestOf(say: (field: Field) => string): { method: string; target: string } | undefined {
  const line = readRequest(say('request'));
  if (line) return line;
  const uri = say('uri') || say('request');
  if (!/^(?:\/|https?:\/\/|\*$)/i.test(uri)) return undefined;
  const query = uri.includes('?') ? '' : say('query').replace(/^\?/, '');
  return { method: say('method').toUpperCase() || 'GET', target: query === '' ? uri : `${uri}?${query}` };
}

const CLOCK_ALONE = new RegExp(`^\\[?${CLOCK}\\]?$`);

function timeOf(objects: readonly JsonObject[], text: string): number | undefined {
  if (/^\d{1,20}(?:\.\d{1,9})?$/.test(text)) return instantOf(text, { perSecond: perSecond(Number(text)) });
  const clock = CLOCK_ALONE.exec(text);
  if (clock) return clockTime(clock.slice(1));
  const day = firstOf(objects, ['date']);
  const isApart = /^\d{4}-\d\d-\d\d$/.test(day); // CloudFront has the day beside the time
  return readInstant(isApart ? `${day} ${firstOf(objects, ['time'])}` : text.replaceAll('/', '-'));
}

/** Seconds, or a thousandth, millionth or billionth of them: all since 1970, and after 1973. */
function perSecond(number: number): number {
  if (number < 1e11) return 1;
  if (number < 1e14) return 1e3;
  return number < 1e17 ? 1e6 : 1e9;
}
