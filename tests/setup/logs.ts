// The same requests as lines of access logs in every format that an import reads.
import { CHROME } from './browser/user-agent.ts';

export type Logged = {
  time: number;
  address: string;
  userAgent?: string;
  method?: string;
  target?: string;
  status?: number;
  referrer?: string;
};
type Filled = Required<Logged> & { host: string };
type LogFormat = { head?: string[]; line(request: Filled): string };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const iso = (time: number) => new Date(time).toISOString();
const [day, clock] = [(time: number) => iso(time).slice(0, 10), (time: number) => iso(time).slice(11, 19)];
function clf(time: number): string {
  const [year, month, date] = day(time).split('-');
  return `${date}/${MONTHS[Number(month) - 1]}/${year}:${clock(time)} +0000`;
}
const or = (text: string, other = '-') => (text === '' ? other : text);
const line = ({ method, target }: Filled) => `${method} ${target} HTTP/1.1`;
const combined = (one: Filled) =>
  `${one.address} - - [${clf(one.time)}] "${line(one)}" ${one.status} 512 "${or(one.referrer)}" "${or(one.userAgent)}"`;
const json = (value: object) => JSON.stringify(value);
/** Percent-encoded as CloudFront does, the percent signs too. */
const encoded = (text: string) => text.replace(/[% "']/g, (char) => encodeURIComponent(char));
const [stem, query] = [(target: string) => target.split('?')[0] ?? '', (target: string) => target.split('?')[1] ?? ''];

export const LOG_FORMATS: Record<string, LogFormat> = {
  combined: { line: combined },
  'vhost combined': { line: (one) => `${one.host}:443 ${combined(one)}` },
  'combined behind syslog': { line: (one) => `Nov 20 10:00:00 web1 nginx: ${combined(one)}` },
  'combined with %D': { line: (one) => `${combined(one)} 15023 "-" TLSv1.3` },
  'nginx JSON': {
    line: (one) =>
      json({
        time_local: clf(one.time),
        remote_addr: one.address,
        request: line(one),
        status: String(one.status),
        http_referer: one.referrer,
        http_user_agent: one.userAgent,
        host: one.host,
      }),
  },
  'JSON with a path and a method': {
    line: ({ time, address, method, target, status, referrer, userAgent }) =>
      json({ date: iso(time), ip: address, method, path: target, status, referrer, user_agent: userAgent }),
  },
  Caddy: {
    line: (one) =>
      json({
        level: 'info',
        ts: one.time / 1000 + 0.25,
        logger: 'http.log.access.log0',
        msg: 'handled request',
        request: {
          remote_ip: '10.0.0.1',
          remote_port: '41342',
          client_ip: one.address,
          proto: 'HTTP/2.0',
          method: one.method,
          host: one.host,
          uri: one.target,
          headers: {
            ...(one.userAgent !== '' && { 'User-Agent': [one.userAgent] }),
            ...(one.referrer !== '' && { Referer: [one.referrer] }),
          },
        },
        size: 512,
        status: one.status,
        resp_headers: { Server: ['Caddy'] },
      }),
  },
  'Traefik common': { line: (one) => `${combined(one)} 17 "web@docker" "http://172.18.0.3:8080" 3ms` },
  'Traefik JSON': {
    line: (one) =>
      json({
        ClientAddr: `${one.address}:51234`,
        ClientHost: one.address,
        DownstreamContentSize: 512,
        DownstreamStatus: one.status,
        RequestHost: one.host,
        RequestMethod: one.method,
        RequestPath: one.target,
        StartUTC: iso(one.time).replace('Z', '123456Z'),
        request_Referer: one.referrer,
        'request_User-Agent': one.userAgent,
        level: 'info',
        msg: '',
        time: iso(one.time + 500),
      }),
  },
  'Nginx Proxy Manager': {
    line: (one) =>
      `[${clf(one.time)}] - ${one.status} ${one.status} - ${one.method} https ${one.host} "${one.target}" [Client ${one.address}] [Length 512] [Gzip -] [Sent-to 172.18.0.5] "${or(one.userAgent)}" "${or(one.referrer)}"`,
  },
  'Nginx Proxy Manager, other hosts': {
    line: (one) =>
      `[${clf(one.time)}] ${one.status} - ${one.method} http ${one.host} "${one.target}" [Client ${one.address}] [Length 512] [Gzip 2.10] "${or(one.userAgent)}" "${or(one.referrer)}"`,
  },
  IIS: {
    head: [
      '#Software: Microsoft Internet Information Services 10.0',
      '#Version: 1.0',
      '#Date: 2026-10-05 00:00:00',
      '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status time-taken',
    ],
    line: (one) =>
      `${day(one.time)} ${clock(one.time)} 10.0.0.4 ${one.method} ${stem(one.target)} ${or(query(one.target))} 443 - ${one.address} ${or(one.userAgent).replaceAll(' ', '+')} ${or(one.referrer)} ${one.host} ${one.status} 0 0 15`,
  },
  CloudFront: {
    head: [
      '#Version: 1.0',
      '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken',
    ],
    line: (one) =>
      [
        day(one.time),
        clock(one.time),
        'FRA56-P1',
        '512',
        one.address,
        one.method,
        'd111111abcdef8.cloudfront.net',
        encoded(stem(one.target)),
        String(one.status),
        or(encoded(one.referrer)),
        or(encoded(one.userAgent)),
        or(query(one.target)),
        '-',
        'Hit',
        'SOX4xwn4XV6Q4rgb7XiVGOHms',
        one.host,
        'https',
        '23',
        '0.001',
      ].join('\t'),
  },
  'AWS ALB': {
    line: (one) =>
      `h2 ${iso(one.time).replace('Z', '123Z')} app/my-loadbalancer/50dc6c495c0c9188 ${one.address}:2817 10.0.0.1:80 0.000 0.001 0.000 ${one.status} ${one.status} 34 366 "${one.method} https://${one.host}:443${one.target} HTTP/2.0" "${or(one.userAgent)}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" "${one.host}" "-" 0 ${iso(one.time)} "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`,
  },
  'Docker, of combined': { line: (one) => json({ log: `${combined(one)}\n`, stream: 'stdout', time: iso(one.time) }) },
};

/** The lines of a log, with what the format writes before them. */
export function logOf(format: string, requests: readonly Logged[], host = 'www.example.com'): string {
  const { head = [], line } = LOG_FORMATS[format] as LogFormat;
  const lines = requests.map((one) =>
    line({ userAgent: CHROME, method: 'GET', target: '/', status: 200, referrer: '', host, ...one }),
  );
  return `${[...head, ...lines].join('\n')}\n`;
}
