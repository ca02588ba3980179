import { expect, test } from 'vitest';
import { payload, problemOf } from './payload.ts';

test.each([
  [0, 0],
  [62.5, 62.5],
  [104.3, 100], // the page became shorter, a scrollbar, or elastic scrolling
])('a scroll depth of %d per cent counts as %d', (scroll, counted) => {
  const event = payload.parse({ site: 'example.com', name: 'engagement', url: 'https://example.com/', scroll });
  expect(event.scroll).toBe(counted);
});

test.each([
  [0, 0],
  [86_400_000, 86_400_000],
  [90_000_000, 86_400_000], // a screen on a wall
  [-3_600_000, 0], // the clock was set back while the page was visible
])('%d milliseconds of engagement count as %d, and the scroll depth beside them is kept', (engaged, counted) => {
  const event = payload.parse({
    site: 'example.com',
    name: 'engagement',
    url: 'https://example.com/',
    engaged,
    scroll: 40,
  });
  expect(event).toMatchObject({ engaged: counted, scroll: 40 });
});

test.each([
  [12, '12.0000'],
  [0.00005, '0.0001'],
  ['19.99876', '19.9988'],
])('an amount of %j is kept as %s', (amount, kept) => {
  const event = {
    site: 'example.com',
    name: 'purchase',
    url: 'https://example.com/',
    revenue: { amount, currency: 'eur' },
  };
  expect(payload.parse(event).revenue).toEqual({ amount: kept, currency: 'EUR' });
});

test.each([
  ['outbound_link', 'url'],
  ['file_download', 'url'],
  ['form_submit', 'action'],
])('%s, which the script reads from the page, is cut to the limit and never refused', (name, key) => {
  const long = {
    site: 'example.com',
    name,
    url: 'https://example.com/',
    props: { [key]: `https://x.example/${'a'.repeat(600)}` },
  };
  expect(payload.parse(long).props?.[key]).toHaveLength(512);
  const own = { ...long, name: 'signup' };
  expect(payload.safeParse(own).success).toBe(false);
  for (const props of [null, 'text', { [key]: {} }]) expect(payload.safeParse({ ...long, props }).success).toBe(false);
});

test('texts of the maximum length are kept whole in any script, so that two of them stay two', () => {
  const of = (last: string) => '😀'.repeat(63) + last;
  const sent = {
    site: 'example.com',
    name: of('n'),
    url: 'https://example.com/',
    props: { [of('k')]: '😀'.repeat(512) },
  };
  for (const order of ['a', 'b'].map(of)) {
    const { name, props, order_id } = payload.parse({ ...sent, order_id: order });
    expect({ name, props, order_id }).toEqual({ name: sent.name, props: sent.props, order_id: order });
  }
  for (const longer of [{ name: of('nn') }, { order_id: of('oo') }, { props: { k: '😀'.repeat(513) } }])
    expect(payload.safeParse({ ...sent, ...longer }).success).toBe(false);
});

test.each(['', ' ', '\u200b', 'k'.repeat(65)])(
  'a property whose key is %j is refused, since nobody could ask for it',
  (key) => {
    const sent = {
      site: 'example.com',
      name: 'signup',
      url: 'https://example.com/',
      props: { plan: 'pro', [key]: 'x' },
    };
    const [issue] = payload.safeParse(sent).error?.issues ?? [];
    expect(issue?.message).toBe('must have keys of 1 to 64 visible characters');
  },
);

test.each<[object | null, string]>([
  [null, 'The body must be a JSON object.'],
  [[], 'The body must be a JSON object.'],
  [{ site: undefined }, 'site: must be the domain of a site, of at most 253 characters.'],
  [{ name: undefined }, 'name: must be 1 to 64 visible characters.'],
  [{ name: 'n'.repeat(65) }, 'name: must be 1 to 64 visible characters.'],
  [{ url: '' }, 'url: must be an absolute http or https address of at most 2048 characters.'],
  [{ referrer: null }, 'referrer: must be a string.'],
  [{ id: 'a b' }, 'id: must be 1 to 64 visible ASCII characters.'],
  [{ props: null }, 'props: must be an object whose values are strings or numbers.'],
  [{ props: { a: 'v'.repeat(513) } }, 'props.a: must be a string of at most 512 characters or a finite number.'],
  [{ revenue: 5 }, 'revenue: must be an object with amount and currency.'],
  [{ revenue: { amount: -1, currency: 'EUR' } }, 'revenue.amount: must be a number from 0 to 1000000000.'],
  [{ revenue: { amount: '1,50', currency: 'EUR' } }, 'revenue.amount: must be a number from 0 to 1000000000.'],
  [{ revenue: { amount: 1 } }, 'revenue.currency: must be a currency code of three letters, such as EUR.'],
  [{ width: '390' }, 'width: must be a number from 0 to 100000.'],
  [{ touch: -1 }, 'touch: must be a number from 0 to 1000.'],
  [{ scroll: -1 }, 'scroll: must be a number of 0 or more.'],
  [{ interactive: 'no' }, 'interactive: must be true or false.'],
])('a payload with %j is refused with a sentence that says what is allowed', (wrong, sentence) => {
  const sent = { site: 'example.com', name: 'signup', url: 'https://example.com/', ...wrong };
  const { error } = payload.safeParse(wrong === null || Array.isArray(wrong) ? wrong : sent);
  expect(error && problemOf(error)).toBe(sentence);
});
