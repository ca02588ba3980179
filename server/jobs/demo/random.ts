// A deterministic random number generator: sfc32, which passes PractRand and has four words of state.

export type Random = {
  /** 32 random bits. */
  bits(): number;
  /** A fraction from 0 (included) to 1 (excluded). */
  fraction(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  /** An exponentially distributed number with the given mean, as waiting times are. */
  wait(mean: number): number;
  /** 16 hex digits. */
  id(): string;
};

export function openRandom(...seeds: number[]): Random {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  for (const [index, seed] of seeds.entries()) {
    if (index % 2) b ^= seed;
    else a ^= seed;
    for (let i = 0; i < 12; i++) bits();
  }

  function bits(): number {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }
  const fraction = () => bits() / 2 ** 32;
  const hex = () => bits().toString(16).padStart(8, '0');

  return {
    bits,
    fraction,
    between: (from, to) => from + Math.floor(fraction() * (to - from + 1)),
    chance: (probability) => fraction() < probability,
    wait: (mean) => -Math.log(1 - fraction()) * mean,
    id: () => hex() + hex(),
  };
}

/** Returns a function that draws items by their weights. */
export function weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): (random: Random) => Item {
  let total = 0;
  const sums = items.map(([weight]) => (total += weight));
  const last = items.at(-1);
  if (!last) throw new Error('There are no items to draw from.');
  return (random) => {
    const drawn = random.fraction() * total;
    return (items[sums.findIndex((sum) => drawn < sum)] ?? last)[1];
  };
}
