// A site with visits that a share link may show and visits that it must not, and how its viewers ask.
import { parse, stringify } from 'devalue';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import type { Site } from '../../../server/sites/sites.ts';
import { NO_RULES } from '../../../server/vocabulary/settings/share-links.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import type { TestApp } from '../app.ts';
import { makeEvent } from '../event.ts';

/** On every value of the visits that the links of the tests must not show. */
export const HIDDEN = 'undisclosed';
/** Visitors of each side, on each of the last ten days. */
export const SHOWN_A_DAY = 6;
const HIDDEN_A_DAY = 60;

/** Shown visits come from Germany and campaigns; all others bear the word `HIDDEN` wherever they can. */
export async function fillSite(server: TestApp, site: Site): Promise<void> {
  const days = Array.from({ length: 10 }, (_, index) => server.clock.now - (index + 1) * DAY_MS);
  const events = days.flatMap((day) => [
    ...Array.from({ length: SHOWN_A_DAY }, (_, person) =>
      visitOf(site, `s${person} ${Math.floor(day / DAY_MS)}`, day - person * 60_000),
    ).flat(),
    ...Array.from({ length: HIDDEN_A_DAY }, (_, person) => hiddenVisit(site, person, day - person * 60_000)).flat(),
  ]);
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
}

function visitOf(site: Site, visitor: string, time: number) {
  const about = {
    site_id: site.id,
    visitor,
    time,
    country: 'DE',
    utm_campaign: 'spring',
    page: '/de',
    browser: 'Firefox',
  };
  return [makeEvent(about), makeEvent({ ...about, time: time + 1000, name: 'signup', props: { plan: 'pro' } })];
}

function hiddenVisit(site: Site, person: number, time: number) {
  const about = {
    site_id: site.id,
    visitor: `h${person} ${Math.floor(time / DAY_MS)}`,
    time,
    country: 'FR',
    region: `FR-${HIDDEN.toUpperCase()}`,
    city: HIDDEN,
    page: `/${HIDDEN}`,
    hostname: `${HIDDEN}.own.example`,
    source: HIDDEN,
    referrer: `${HIDDEN}.example/`,
    utm_source: HIDDEN,
    utm_campaign: HIDDEN,
    browser: 'Hidden',
  };
  const paid = { amount: '4321', currency: 'EUR', props: { [HIDDEN]: HIDDEN } };
  return [makeEvent(about), makeEvent({ ...about, time: time + 1000, name: HIDDEN, ...paid })];
}

type Wish = Partial<Omit<Parameters<typeof createShareLink>[1], 'siteId' | 'rules'>> & {
  rules?: Partial<typeof NO_RULES>;
};

/** Makes links of a site, and asks as their viewers. */
export function openSharing(server: TestApp, site: Site) {
  const { directory } = server.app.services;
  return {
    /** The headers of somebody who has the link. */
    async linkTo({ rules, ...wish }: Wish = {}) {
      const content = { name: 'link', ...wish, rules: { ...NO_RULES, ...rules } };
      const { id, token } = await createShareLink(directory, { siteId: site.id, ...content }, server.clock.now);
      return { id, token, headers: { 'x-share-token': token } };
    },
    async ask<Answer>(name: string, input: object, headers: Record<string, string>) {
      const asked = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, ...input })));
      const answer = await fetch(`${server.url}/trpc/${name}?input=${asked}`, { headers });
      const body = (await answer.json()) as { result: { data: string } };
      return { status: answer.status, data: (answer.ok ? parse(body.result.data) : body) as Answer };
    },
    /** Sends a change. */
    async change(name: string, input: object, headers: Record<string, string>) {
      const answer = await fetch(`${server.url}/trpc/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...headers },
        body: JSON.stringify(stringify(input)),
      });
      const text = await answer.text();
      return { status: answer.status, text, cookies: answer.headers.getSetCookie() };
    },
  };
}
