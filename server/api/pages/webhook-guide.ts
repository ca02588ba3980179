// The part of /docs about webhooks: what is sent, how to check its signature, and when it is sent again.
import { MAX_A_MINUTE } from '../../messages/webhooks/queue.ts';

/** Runs in Node as it is. A test takes it out of the document and runs it. */
const SAMPLE = `import { createServer } from 'node:http';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { env } from 'node:process';

const secret = env.FOOTFALL_WEBHOOK_SECRET; // whsec_…
const MAX_AGE_SECONDS = 300;

/** Returns the message, or undefined if its signature is wrong or too old. */
export function verify(secret, headers, body, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS)) return undefined;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(id + '.' + timestamp + '.' + body).digest();
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? JSON.parse(body) : undefined;
}

export const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString(); // the exact text, before any parsing
  const message = verify(secret, request.headers, body);
  response.writeHead(message ? 204 : 401).end();
  if (message) console.log(request.headers['webhook-id'], message.type, message.data);
});`;

/** A report of one site as it is sent. A test compares its fields with those of a message. */
export const REPORT_SAMPLE = {
  type: 'report',
  timestamp: '2026-11-23T07:00:12.345Z',
  data: {
    report_id: 'report_01k…',
    name: 'Board',
    frequency: 'weekly',
    date_from: '2026-11-16',
    date_to: '2026-11-22',
    domain: 'example.com',
    segment: null,
    filters: [{ dimension: 'country', operator: 'is', values: ['DE'] }],
    metric: 'unique_visitors',
    currency: 'EUR',
    metrics: [{ name: 'unique_visitors', value: 1234, previous: 1100 }],
    pages: [{ name: '/', unique_visitors: 480, previous: 455 }],
    sources: [{ name: 'Google', unique_visitors: 310, previous: 290 }],
    new_sources: [{ name: 'Hacker News', unique_visitors: 45 }],
    goals: [{ id: 'goal_01k…', name: 'Sign-up', conversions: 12, previous: 9 }],
    speed: {
      views: 1890,
      vitals: [{ name: 'lcp', value: 2710, previous: 2480, rating: 'needs_improvement' }],
      slowest_page: { name: '/pricing', lcp: 4310, views: 212 },
    },
    errors: {
      count: 61,
      visits: 34,
      share: 2.1,
      previous: 0.4,
      most: { message: 'TypeError: x is not a function', file: '/app.js', visits: 20 },
    },
  },
};
/** The fields of a report of all sites that differ. */
const SITES = { domain: null, sites: [{ domain: 'example.com', currency: 'EUR', value: 1234, previous: 1100 }] };

const GROUP = {
  domain: null,
  group: { id: 'group_01k…', name: 'Shops' },
  metrics: [{ name: 'unique_visitors', value: 1234, previous: 1100 }],
  sites: [{ domain: 'example.com', metrics: [{ name: 'unique_visitors', value: 900, previous: 840 }] }],
  new_sources: [{ domain: 'example.com', name: 'Hacker News', unique_visitors: 45 }],
};

/** Returns Markdown. */
export function describeWebhooks(): string {
  return `## Webhooks

Under Settings, Webhooks, owners and admins add addresses to which Footfall sends reports and alerts: as signed JSON, or as messages of Slack and Discord.

A signed message is a POST with the body \`{ "type", "timestamp", "data" }\`. \`type\` is \`test\`, \`report\`, \`alert.started\` or \`alert.ended\`. It is signed as [Standard Webhooks](https://www.standardwebhooks.com) says, so the libraries of that site can check it. \`webhook-id\` names the message, \`webhook-timestamp\` is the time of the attempt in seconds, and \`webhook-signature\` has one signature, or two for 24 hours after you ask for a new secret: accept a message if either is right.

<details><summary>Check the signature in Node</summary>

\`\`\`
${SAMPLE}
\`\`\`

</details>

<details><summary>The body of a report</summary>

\`\`\`
${JSON.stringify(REPORT_SAMPLE, null, 2)}
\`\`\`

The numbers are those of the mailed report to people without an account: those of a filtered view are rounded by at most two visitors, and withheld below three. \`date_to\` is the last day. \`metrics\` has the metrics that the mail shows, \`value\` is null for a rate without visits, and \`previous\` is null if there is nothing to compare with. \`name\` is empty for direct visits. \`speed\` and \`errors\` are null for a site that does not measure or record them. A report of all sites has \`"domain": null\`, and instead of the fields from \`currency\` on it has \`sites\`, each with its \`metric\`:

\`\`\`
${JSON.stringify(SITES, null, 2)}
\`\`\`

A report of a group of sites has these instead:

\`\`\`
${JSON.stringify(GROUP, null, 2)}
\`\`\`

</details>

- **Any status from 200 to 299 takes the message.** After another one, or none within 15 seconds, it is sent again for 24 hours, at first after a minute and later every four hours. A pause that you ask for in \`Retry-After\` is kept, up to an hour.
- **A message can arrive twice**, with the same \`webhook-id\`: after a lost answer, a restart of this server, or “Send again” in the log. Remember the ids of the last days.
- **410 Gone switches the webhook off**, until somebody switches it on again.
- Redirects are not followed, and addresses in private networks are refused. A webhook gets at most ${MAX_A_MINUTE} messages a minute, one after the other. The log keeps each for 30 days.`;
}
