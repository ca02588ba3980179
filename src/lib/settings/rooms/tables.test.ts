import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { ACCOUNT_ROOMS, type Reader, type Room, roomsFor, SITE_ROOMS, siteRoomOf } from './tables';

const ROOMS: readonly Room[] = [...SITE_ROOMS, ...ACCOUNT_ROOMS];
const CARDS = ROOMS.flatMap(({ cards }) => cards);
const PAGES = 'src/routes/(app)';
const read = (path: string) => readFileSync(path, 'utf8');

describe('the tables of rooms and cards', () => {
  it('have distinct anchors, and at least two words for each card besides its title', () => {
    const names = CARDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, title, words } of CARDS) {
      const own = title.toLowerCase().split(' ');
      expect(words.split(' ').filter((word) => !own.includes(word)).length, name).toBeGreaterThanOrEqual(2);
    }
  });

  it('have a page for each room, and a component that shows each card', () => {
    for (const { path } of ACCOUNT_ROOMS) expect(read(`${PAGES}/settings${path}/+page.svelte`)).not.toBe('');
    const shown = globSync('src/**/*.svelte').flatMap((file) =>
      [...read(file).matchAll(/<Card\s+name=(?:"([\w-]+)"|\{([^}]+)\})/g)].flatMap(([, name, either = '']) =>
        name ? [name] : [...either.matchAll(/'([\w-]+)'/g)].map(([, one = '']) => one),
      ),
    );
    expect([...new Set(shown)].sort()).toEqual(CARDS.map(({ name }) => name).sort());
    const loaded = new Map(
      [
        ...read(`${PAGES}/[domain]/settings/[[room]]/+page.ts`).matchAll(
          /'([^']*)': \(\) => import\('\$lib\/([^']+)'\)/g,
        ),
      ].map(([, path = '', file = '']) => [path, read(`src/lib/${file}`)]),
    );
    for (const { path, cards } of SITE_ROOMS)
      for (const { name } of cards) expect(loaded.get(path)).toContain(`<Card name="${name}"`);
  });

  it('know the card of every link into the settings of a site, which leads to its room at once', () => {
    const files = ['src/**/*.{ts,svelte}', 'server/**/*.ts'].flatMap((pattern) => globSync(pattern));
    const links = files.flatMap((file) =>
      [...read(file).matchAll(/settings(\/[a-z]+)?(?:`\)\})?(?:\?search=\$\{\w+\})?#([a-z-]+)/g)].map(
        ([, path = '', card = '']) => ({ file, path, card }),
      ),
    );
    expect(links.length).toBeGreaterThanOrEqual(15);
    const inAccount = (card: string) => ACCOUNT_ROOMS.find(({ cards }) => cards.some(({ name }) => name === card));
    const wrong = links.filter(({ file, path, card }) => {
      const room = siteRoomOf(card) ?? inAccount(card);
      return !file.endsWith('.test.ts') && room?.path !== path;
    });
    expect(wrong).toEqual([]);
  });
});

const reader = (account: object, verifies_domains = false) =>
  ({ verifies_domains, account: { can_see_dashboard: true, monthly_events: null, ...account } }) as unknown as Reader;
const titles = (rooms: readonly Room[], who: Reader) => roomsFor(rooms, who).map(({ title }) => title);
const cardsOf = (rooms: readonly Room[], who: Reader) =>
  roomsFor(rooms, who).flatMap(({ cards }) => cards.map(({ name }) => name));

const FIRST = ['Profile', 'Security', 'People'];
test.each([
  [{ role: 'owner', has_plan: true }, ['Plan', 'API keys', 'Webhooks', 'Log', 'Account']],
  [{ role: 'admin', monthly_events: 10 }, ['Usage', 'Webhooks']],
  [{ role: 'billing', has_plan: true }, ['Plan']],
  [{ role: 'viewer' }, []],
])('%o has these rooms of the account beside the first three', (account, others) => {
  expect(titles(ACCOUNT_ROOMS, reader(account))).toEqual([...FIRST, ...others]);
});

test('of the settings of a site, viewers see the snippet and their own feeds, and admins all but what only owners may do', () => {
  const all = SITE_ROOMS.flatMap(({ cards }) => cards.map(({ name }) => name));
  expect(cardsOf(SITE_ROOMS, reader({ role: 'viewer' }))).toEqual(['snippet', 'feeds']);
  expect(cardsOf(SITE_ROOMS, reader({ role: 'owner' }, true))).toEqual(all);
  const ofAdmins = cardsOf(SITE_ROOMS, reader({ role: 'admin' }));
  expect(all.filter((name) => !ofAdmins.includes(name))).toEqual(['ownership', 'move', 'delete']);
});
