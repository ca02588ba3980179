// The long tail of referrers, and hosts that show copies of pages: see field.txt.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { showsCopies } from '../lists/copies.ts';
import { attribute } from './channel.ts';

const kinds = readFileSync(new URL('field.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [right = '', hosts = ''] = line.split('\t');
    return { right, hosts: hosts.split(' ') };
  });

function channelFrom(referrer: string): string {
  const isOwnHost = () => false;
  return attribute({ referrer, query: new URLSearchParams(), hostname: 'shop.example', isOwnHost }).channel;
}

const read = (host: string) => (showsCopies(host) ? 'shown_elsewhere' : channelFrom(`https://${host}/`));

test.each(kinds)('hosts of the kind $right are recognised', ({ right, hosts }) => {
  const isKind = right === 'shown_elsewhere' ? read : (host: string) => channelFrom(`https://${host}/`);
  expect(hosts.filter((host) => isKind(host) !== right)).toEqual([]);
});

test.each([
  'ad.nl',
  'ads.co.uk',
  'posta.com.tr',
  'elements.example.org',
  'research.example.org',
  'adsense-tips.example.org',
  'social.example.org',
])('%s is a page like any other', (host) => {
  expect(channelFrom(`https://${host}/`)).toBe('Referral');
});
