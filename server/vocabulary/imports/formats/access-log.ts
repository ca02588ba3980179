// Access logs of web servers: requests for pages become hits, which go through the door of access logs, since only the server knows bots, AI agents
// and places. Queries stay, because the path rules of a site may need them.
import { PAGEVIEW } from '../../event.ts';
import { MAX_ADDRESS, MAX_HEADER } from '../../limits.ts';
import { MAX_LOGGED_ADDRESS } from '../../settings/imports.ts';
import { hostOf, type LogLine } from '../logs/line.ts';
import { EARLIEST, LATEST, noPageReason } from '../logs/pages.ts';
import { startOfLog } from '../logs/read.ts';
import { BLANK_HIT, type Format, type Put } from './format.ts';

const put: Put<LogLine> = (line, { hits }) => {
  const reason = line.time < EARLIEST || line.time >= LATEST ? 'no_date' : noPageReason(line);
  if (reason) return reason;
  const url = line.target.startsWith('/') ? undefined : URL.parse(line.target);
  if (url === null) return 'unreadable';
  const path = url ? `${url.pathname}${url.search}` : line.target;
  if (path.length > MAX_ADDRESS) return 'too_long';
  const { time, address, status } = line;
  hits.push({
    ...BLANK_HIT,
    time,
    name: PAGEVIEW,
    hostname: url ? hostOf(url.hostname) : line.host,
    path,
    referrer: line.referrer.slice(0, MAX_ADDRESS),
    request: {
      address: address.slice(0, MAX_LOGGED_ADDRESS),
      user_agent: line.userAgent.slice(0, MAX_HEADER).toWellFormed(),
      status,
    },
  });
  return undefined;
};

export const accessLog: Format = { product: 'Access log', log: { kind: 'hits', startOf: startOfLog, put } };
