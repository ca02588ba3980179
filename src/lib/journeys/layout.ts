// Lays out the blocks and ribbons of a journey. Branches that lead to the same page or event at the same step share a block. Each keeps its
// own path through the block, so that only the visits of these branches are highlighted.
import type { Journey } from '../api/types';

export type Branch = Journey['branches'][number];
/** `ended`: visits that ended there (began there, if backwards). `other`: visits on paths that are not shown. */
export type BlockKind = Branch['kind'] | 'ended' | 'other';

/** Visits that come to a block by one branch. For an `ended` block: those of the branch that ended there. */
type Arrival = { branch: number; visits: number };

export type Block = {
  id: string;
  step: number;
  kind: BlockKind;
  name: string;
  visits: number;
  arrivals: Arrival[];
  /** In pixels from the top. */
  y: number;
  height: number;
};

export type Ribbon = {
  id: string;
  /** The block that is nearer to the start, and the one that is further away. */
  near: Block;
  far: Block;
  arrivals: Arrival[];
  visits: number;
  nearY: number;
  farY: number;
  width: number;
};

export type Layout = { columns: Block[][]; ribbons: Ribbon[]; height: number };

const GAP = 8;
const LEAST_HEIGHT = 420;

type Room = {
  /** The least height that a block has for its label, in pixels. */
  slot?: number;
  /** The greatest height of a block. */
  most?: number;
};

export function layOut(branches: Branch[], { slot = 30, most = Infinity }: Room = {}): Layout {
  const columns = blocksOf(branches);
  const height = Math.max(Math.min(LEAST_HEIGHT, most), ...columns.map((column) => column.length * (slot + GAP)));
  const largest = Math.max(1, ...columns.flat().map(({ visits }) => visits));
  const scale = Math.min(scaleFor(columns, { height, slot }), most / largest);
  for (const column of columns) place(column, { scale, slot });
  return { columns, ribbons: ribbonsOf(columns, branches, scale), height };
}

/** Columns by step, each with its largest blocks first and the two kinds without a name last. */
function blocksOf(branches: Branch[]): Block[][] {
  const blocks = new Map<string, Block>();
  const add = (block: Pick<Block, 'step' | 'kind' | 'name'>, arrival: Arrival) => {
    if (arrival.visits === 0) return;
    const id = `${block.step} ${block.kind} ${block.name}`;
    const known = blocks.get(id);
    if (!known) return blocks.set(id, { ...block, id, visits: arrival.visits, arrivals: [arrival], y: 0, height: 0 });
    known.visits += arrival.visits;
    known.arrivals.push(arrival);
  };
  branches.forEach(({ step, kind, name, visits, ended, other }, branch) => {
    add({ step, kind, name }, { branch, visits });
    add({ step: step + 1, kind: 'other', name: '' }, { branch, visits: other });
    add({ step: step + 1, kind: 'ended', name: '' }, { branch, visits: ended });
  });
  const last = { ended: 2, other: 1, page: 0, event: 0, goal: 0 };
  const columns = Map.groupBy(blocks.values(), ({ step }) => step);
  return [...columns.keys()]
    .sort((one, other) => one - other)
    .map((step) =>
      (columns.get(step) ?? []).sort(
        (one, other) =>
          last[one.kind] - last[other.kind] || other.visits - one.visits || (one.name < other.name ? -1 : 1),
      ),
    );
}

/** Pixels for a visit, so that the fullest column is as high as the drawing. */
function scaleFor(columns: Block[][], { height, slot }: { height: number; slot: number }): number {
  const heightOf = (column: Block[], scale: number) =>
    column.reduce((sum, { visits }) => sum + Math.max(slot, visits * scale), GAP * (column.length - 1));
  let [low, high] = [0, height];
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    if (columns.every((column) => heightOf(column, middle) <= height)) low = middle;
    else high = middle;
  }
  return low;
}

function place(column: Block[], { scale, slot }: { scale: number; slot: number }): void {
  let y = 0;
  for (const block of column) {
    block.y = y;
    block.height = Math.max(2, block.visits * scale);
    y += Math.max(slot, block.height) + GAP;
  }
}

function ribbonsOf(columns: Block[][], branches: Branch[], scale: number): Ribbon[] {
  const blockOf = new Map<number, Block>();
  for (const block of columns.flat())
    if (isNamed(block)) for (const { branch } of block.arrivals) blockOf.set(branch, block);

  const ribbons = new Map<string, Ribbon>();
  for (const far of columns.flat())
    for (const arrival of far.arrivals) {
      const from = isNamed(far) ? (branches[arrival.branch]?.parent ?? null) : arrival.branch;
      const near = from === null ? undefined : blockOf.get(from);
      if (!near) continue;
      const id = `${near.id} > ${far.id}`;
      const ribbon = ribbons.get(id) ?? { id, near, far, arrivals: [], visits: 0, nearY: 0, farY: 0, width: 0 };
      ribbon.arrivals.push(arrival);
      ribbon.visits += arrival.visits;
      ribbon.width = ribbon.visits * scale;
      ribbons.set(id, ribbon);
    }
  const all = [...ribbons.values()];
  stack(all, 'near');
  stack(all, 'far');
  return all;
}

/** Puts the ribbons of a block under each other in the order of the blocks at their other ends, so that they cross as little as possible. */
function stack(ribbons: Ribbon[], side: 'near' | 'far'): void {
  const otherSide = side === 'near' ? 'far' : 'near';
  for (const [block, own] of Map.groupBy(ribbons, (ribbon) => ribbon[side])) {
    let { y } = block;
    for (const ribbon of own.sort((one, other) => one[otherSide].y - other[otherSide].y)) {
      ribbon[`${side}Y`] = y;
      y += ribbon.width;
    }
  }
}

export const isNamed = ({ kind }: Pick<Block, 'kind'>): boolean => kind !== 'ended' && kind !== 'other';

/** The branches from the start to this one. */
export function pathTo(branches: Branch[], branch: number): number[] {
  const parent = branches[branch]?.parent ?? null;
  return parent === null ? [branch] : [...pathTo(branches, parent), branch];
}

/** The branch that brings most visits to a block. */
export const mainBranch = ({ arrivals }: Block): number =>
  arrivals.reduce((most, arrival) => (arrival.visits > most.visits ? arrival : most)).branch;

/** The most travelled path: from each step, the branch with most visits. */
export function mainPath(branches: Branch[]): number[] {
  const path: number[] = [];
  let at = branches.length > 0 ? 0 : -1;
  while (at >= 0) {
    path.push(at);
    const parent = at;
    at = branches.findIndex((branch) => branch.parent === parent); // most visits come first
  }
  return path;
}

/**
 * For each ribbon, how many of its visits pass through this block, at any step. To highlight a single ribbon, pass its `far` block's id
 * and kind with the ribbon's own arrivals.
 */
export function visitsThrough(
  { ribbons }: Layout,
  branches: Branch[],
  block: Pick<Block, 'id' | 'kind' | 'arrivals'>,
): Map<string, number> {
  const own = new Set(block.arrivals.map(({ branch }) => branch));
  /** For each branch on the way to the block: how many of its visits reach the block. */
  const before = new Map<number, number>();
  for (const { branch, visits } of block.arrivals) {
    const path = pathTo(branches, branch);
    for (const passed of isNamed(block) ? path.slice(0, -1) : path)
      before.set(passed, (before.get(passed) ?? 0) + visits);
  }
  const through = new Map<string, number>();
  for (const ribbon of ribbons) {
    const isHere = ribbon.far.id === block.id;
    const visits = ribbon.arrivals.reduce((sum, arrival) => {
      const isAfter = isNamed(block) && pathTo(branches, arrival.branch).some((passed) => own.has(passed));
      if (isAfter || (isHere && own.has(arrival.branch))) return sum + arrival.visits;
      return sum + (isNamed(ribbon.far) ? (before.get(arrival.branch) ?? 0) : 0);
    }, 0);
    if (visits > 0) through.set(ribbon.id, visits);
  }
  return through;
}
