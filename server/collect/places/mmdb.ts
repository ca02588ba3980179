// Walks all networks of an MMDB file in address order (https://maxmind.github.io/MaxMind-DB/). The package's own reader can only look up
// single addresses.
import { Reader, type Response } from 'maxmind';

type Networks<Found> = {
  /**
   * 32 for IPv4. For IPv6, the number of leading bits to distinguish, at most 52 to fit a double. Of networks smaller than that, the first
   * one counts.
   */
  bits: number;
  /** Called once for each distinct record. */
  read(record: Response | null): Found;
  /** Called in address order; `start` is the network's first address, as a number of `bits` bits. */
  visit(start: number, found: Found): void;
};

export function walkNetworks<Found>(database: Buffer, { bits, read, visit }: Networks<Found>): void {
  const reader = new Reader<Response>(database);
  const { nodeCount, recordSize } = reader.metadata;
  const child = childReader(database, recordSize);
  const found = new Map<number, Found>([[nodeCount, read(null)]]);

  const firstLeaf = (record: number): number => {
    let leaf = record;
    while (leaf < nodeCount) leaf = child(leaf, 0);
    return leaf;
  };
  const walk = (record: number, start: number, depth: number): void => {
    if (record < nodeCount && depth < bits) {
      walk(child(record, 0), start, depth + 1);
      walk(child(record, 1), start + 2 ** (bits - depth - 1), depth + 1);
      return;
    }
    const leaf = firstLeaf(record);
    let known = found.get(leaf);
    if (known === undefined) {
      known = read(reader.get(addressOf(start, bits)));
      found.set(leaf, known);
    }
    visit(start, known);
  };
  walk(0, 0, 0);
}

function childReader(tree: Buffer, recordSize: number): (node: number, side: 0 | 1) => number {
  const bytes = recordSize / 8;
  if (recordSize !== 28) return (node, side) => tree.readUIntBE((node * 2 + side) * bytes, bytes);
  return (node, side) => {
    const at = node * 7;
    const middle = tree[at + 3] ?? 0;
    return side === 0
      ? ((middle >> 4) << 24) | tree.readUIntBE(at, 3)
      : ((middle & 15) << 24) | tree.readUIntBE(at + 4, 3);
  };
}

function addressOf(start: number, bits: number): string {
  if (bits === 32) return [start >>> 24, (start >>> 16) & 255, (start >>> 8) & 255, start & 255].join('.');
  const first48 = start * 2 ** (48 - bits);
  const groups = [Math.floor(first48 / 2 ** 32), Math.floor(first48 / 2 ** 16) % 2 ** 16, first48 % 2 ** 16];
  return `${groups.map((group) => group.toString(16)).join(':')}::`;
}
