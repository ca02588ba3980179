// IPv4 addresses and networks as numbers: comparing two numbers takes a tenth of the time of a BlockList, and every hit runs it.

/** `to` is the first address after the network. */
export type V4Range = { from: number; to: number };

export function rangeOfV4(network: string, bits: number): V4Range {
  const size = 2 ** (32 - bits);
  const from = Math.floor(numberOfV4(network) / size) * size;
  return { from, to: from + size };
}

export function isWithinV4(number: number, ranges: readonly V4Range[]): boolean {
  return ranges.some(({ from, to }) => number >= from && number < to);
}

const DOT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);

/** Returns all 32 bits of a valid address. Reads character by character: splitting takes ten times as long. */
export function numberOfV4(address: string): number {
  let number = 0;
  let part = 0;
  for (let i = 0; i < address.length; i += 1) {
    const code = address.charCodeAt(i);
    if (code === DOT) {
      number = number * 256 + part;
      part = 0;
    } else part = part * 10 + (code - ZERO);
  }
  return number * 256 + part;
}
