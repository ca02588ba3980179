// Puts load on POST /foot: many different visitors over keep-alive connections. Returns the rate, the latency and the answers.
import autocannon from 'autocannon';
import { CHROME } from '../tests/setup/browser/user-agent.ts';

const SOURCES = [
  '',
  'https://www.google.com/',
  'https://news.ycombinator.com/item?id=1',
  'https://t.co/x',
  'https://duckduckgo.com/',
];

type Load = {
  requests: number;
  accepted: number;
  otherAnswers: number;
  errors: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
};

export async function load(
  url: string,
  options: {
    domain: string | readonly string[];
    seconds: number;
    connections?: number;
    rate?: number;
    /** They come again and again; by default each comes once, for two pages. */
    visitors?: number;
  },
): Promise<Load> {
  const { seconds, connections = 50, rate, visitors = Infinity } = options;
  const domains = [options.domain].flat();
  let serial = 0;
  const result = await autocannon({
    url: `${url}/foot`,
    connections,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          serial += 1;
          const visitor = (serial >> 1) % visitors;
          const domain = domains[visitor % domains.length];
          return {
            ...request,
            headers: {
              'content-type': 'text/plain',
              'user-agent': CHROME.replace('142', String(100 + (visitor % 43))),
              'accept-language': 'en-GB,en;q=0.8',
              // no loopback addresses: they are those of trusted proxies, and all such visitors would share one address
              'x-forwarded-for': `${11 + (visitor % 113)}.${(visitor >> 8) % 256}.${(visitor >> 4) % 256}.${visitor % 251}`,
            },
            body: JSON.stringify({
              site: domain,
              name: 'pageview',
              url: `https://${domain}/page/${serial % 997}`,
              referrer: SOURCES[visitor % SOURCES.length],
              id: `${process.pid}-${Date.now()}-${serial}`,
              width: 1280,
            }),
          };
        },
      },
    ],
  });
  return {
    requests: result.requests.total,
    accepted: result.statusCodeStats?.['202']?.count ?? 0,
    otherAnswers: result.requests.total - (result.statusCodeStats?.['202']?.count ?? 0),
    errors: result.errors + result.timeouts,
    perSecond: Math.round(result.requests.average),
    p50: result.latency.p50,
    p99: result.latency.p99,
    max: result.latency.max,
  };
}
