// The lines of an AWS Application Load Balancer
// (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html). They have no referrer.
import { readInstant } from '../values/dates.ts';
import { hostOf, type LogLine, QUOTED, readRequest, statusOf, unescape, valueOf, withoutPort } from './line.ts';

/** `type time elb client target (three durations) status target_status received sent "request" "user agent"`, and more behind it. */
const LINE = new RegExp(
  String.raw`^(?:https?|h2|wss?|grpcs?) (\S{20,40}) \S+ (\S+) \S+ \S+ \S+ \S+ (\d{3}|-) \S+ \S+ (\d+|-) ${QUOTED} ${QUOTED}`,
);

export function readBalancer(line: string): LogLine | undefined {
  const [, at = '', client = '', code = '', bytes = '', quotedRequest = '', userAgent = ''] = LINE.exec(line) ?? [];
  const time = readInstant(at);
  const request = readRequest(unescape(quotedRequest));
  if (time === undefined || !request) return undefined;
  const url = URL.parse(request.target);
  return {
    address: withoutPort(client.replace(/:\d{1,5}$/, '')), // IPv6 has no brackets here
    time,
    method: request.method,
    target: url ? `${url.pathname}${url.search}` : request.target,
    status: statusOf(code) ?? 0,
    bytes,
    referrer: '',
    userAgent: valueOf(userAgent),
    host: url ? hostOf(url.hostname) : '',
  };
}
