import { expect, test } from 'vitest';
import { openSeats, type Standing } from './connections.ts';

/** How many of the connections get a seat. Each has a viewer and an address of its own, unless they are given. */
function seated(
  most: number,
  count: number,
  { kind, viewer, address }: { kind: Standing['kind']; viewer?: string; address?: string },
) {
  const seats = openSeats(most);
  const taken = Array.from({ length: count }, (_, n) => {
    const standing: Standing = kind === 'stranger' ? { kind } : { kind, viewer: viewer ?? `viewer ${n}` };
    return seats.take(standing, address ?? `address ${n}`);
  });
  return taken.filter(Boolean).length;
}

test.each([
  ['members have all seats', { kind: 'member' }, 21],
  ['one member has half', { kind: 'member', viewer: 'ada' }, 11],
  ['guests have half', { kind: 'guest' }, 11],
  ['strangers have a tenth', { kind: 'stranger' }, 3],
] as const)('of 21 seats, %s', (_title, who, most) => {
  expect(seated(21, 50, who)).toBe(most);
});

test('one address has 100 seats for guests, and 10 for strangers', () => {
  expect(seated(5000, 150, { kind: 'guest', address: 'here' })).toBe(100);
  expect(seated(5000, 150, { kind: 'stranger', address: 'here' })).toBe(10);
});

test('a connection that is identified gives its seat to the next stranger, and holds none if its own kind has no more', () => {
  const seats = openSeats(1);
  const first = seats.take({ kind: 'stranger' }, 'here');
  expect(seats.take({ kind: 'stranger' }, 'there')).toBeUndefined();
  expect(first?.identify({ kind: 'member', viewer: 'ada' })).toBe(true);
  const second = seats.take({ kind: 'stranger' }, 'there');
  expect(second?.identify({ kind: 'member', viewer: 'bob' })).toBe(false);
  expect(seats.take({ kind: 'stranger' }, 'there')).toBeDefined();
  first?.leave();
  expect(seats.take({ kind: 'member', viewer: 'bob' }, 'there')).toBeDefined();
});
