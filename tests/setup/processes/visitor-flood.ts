// A stranger who sends any number of visitors, each with its own user agent and with tags of the maximum length.
import { Agent, request } from 'node:http';
import { CHROME } from '../browser/user-agent.ts';

const CONNECTIONS = 32;
const TAGS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];

/** Page view `number` of the domain: about 3 kB of kept text. */
function strangeView(domain: string, number: number): { headers: Record<string, string>; body: string } {
  const long = (name: string) => `${name}=${number}-${'x'.repeat(240)}`;
  return {
    headers: { 'content-type': 'text/plain', 'user-agent': CHROME.replace('142.0', `142.${number}`) },
    body: JSON.stringify({
      site: domain,
      name: 'pageview',
      url: `https://${domain}/${number}/${'p'.repeat(700)}?${TAGS.map(long).join('&')}`,
      referrer: `https://referrer${number}.example/${'r'.repeat(480)}?${'q'.repeat(1_500)}`,
    }),
  };
}

/** Sends the views `from` to `to`, and returns how many were accepted. */
export async function sendStrangers(url: string, domain: string, { from, to }: { from: number; to: number }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = from;
  let accepted = 0;
  const sendOne = (number: number) =>
    new Promise<void>((resolve, reject) => {
      const { headers, body } = strangeView(domain, number);
      const sent = request(`${url}/foot`, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode === 202) accepted += 1;
        response.resume().once('end', resolve);
      });
      sent.once('error', reject).end(body);
    });
  const work = async () => {
    while (next < to) await sendOne(next++);
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  } finally {
    agent.destroy();
  }
  return accepted;
}
