// The combined format of Apache httpd and nginx, and what is written like it: with the host before it (vhost combined), with more fields behind it
// (such as %D, or those of Traefik), with a list of proxies for the address, or after the prefix of syslog.
import { CLOCK, clockTime, hostOf, type LogLine, QUOTED, readRequest, unescape, valueOf } from './line.ts';

/** `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`, possibly with more fields before and after it. */
const LINE = new RegExp(
  String.raw`^(\S+) {1,2}(\S+) ([^[]*)\[${CLOCK}\] ${QUOTED} (\d{3}) (\d+|-) ${QUOTED} ${QUOTED}`,
);

/** Returns undefined for a line in another format, such as the common one, which lacks the user agent. */
export function readCombined(line: string): LogLine | undefined {
  const found = LINE.exec(line);
  if (!found) return undefined;
  const [, first = '', second = '', more = ''] = found;
  const [quotedRequest = '', status, bytes = '', referrer = '', userAgent = ''] = found.slice(9);
  const request = readRequest(unescape(quotedRequest));
  const time = clockTime(found.slice(4, 9));
  if (!request || time === undefined) return undefined;
  const { address, host } = second === '-' ? { address: first, host: '' } : senderOf([first, second], more);
  return {
    address,
    time,
    method: request.method,
    target: request.target,
    status: Number(status),
    bytes,
    referrer: valueOf(referrer),
    userAgent: valueOf(userAgent),
    host,
  };
}

/** IPv4, or IPv6 with a gap or of eight parts: the clock of syslog looks like one with fewer. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=.*::|(?:[^:]+:){7})[0-9a-f:]{2,39}(?:\.\d{1,3}){0,3})$/i;
const HOST_AND_PORT = /^[^:]+:\d{1,5}$/;

/** What the fields before the time say, if they are not those of the plain format. */
function senderOf(start: [string, string], more: string): { address: string; host: string } {
  const fields = [...start, ...more.split(' ').slice(0, 10)];
  const [first = '', second = ''] = fields;
  const at = fields.findIndex((field) => ADDRESS.test(field.endsWith(',') ? field.slice(0, -1) : field));
  if (at >= 0) return { address: (fields[at] ?? '').replace(/,$/, ''), host: at === 1 ? hostOf(first) : '' };
  return HOST_AND_PORT.test(first) ? { address: second, host: hostOf(first) } : { address: first, host: '' };
}
