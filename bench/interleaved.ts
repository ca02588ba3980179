// Runs pieces of work in turns, so that a busy machine slows all of them alike, and says what each costs.
import { cpuMs, print } from './server.ts';

/** Milliseconds: median and minimum of the rounds, and the median of the CPU time of this process and its engine. */
type Cost = { ms: number; least_ms: number; cpu_ms: number };

export async function interleaved<Name extends string>(
  works: Record<Name, () => Promise<unknown>>,
  rounds = 10,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(works) as Name[];
  const runs = new Map(names.map((name) => [name, [] as { ms: number; cpu_ms: number }[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) runs.get(name)?.push(await run(works[name]));
  const costOf = (name: Name): Cost => {
    const ms = runs.get(name)?.map((one) => one.ms) ?? [];
    const cpu = runs.get(name)?.map((one) => one.cpu_ms) ?? [];
    return { ms: median(ms), least_ms: Math.round(Math.min(...ms)), cpu_ms: median(cpu) };
  };
  return Object.fromEntries(names.map((name) => [name, costOf(name)])) as Record<Name, Cost>;
}

/** Prints the cost of each piece of work, and its ratio to the cost of the engine's bare query. */
export function printCosts<Name extends string>(
  about: Record<string, unknown>,
  { bare, ...costs }: Record<Name | 'bare', Cost>,
): void {
  const ratios = Object.entries<Cost>(costs as Record<string, Cost>).map(([name, { ms, cpu_ms }]) => [
    name,
    { to_bare: ratio(ms, bare.ms), cpu_to_bare: ratio(cpu_ms, bare.cpu_ms) },
  ]);
  print({ ...about, bare, ...costs, ratios: Object.fromEntries(ratios) });
}

async function run(work: () => Promise<unknown>): Promise<{ ms: number; cpu_ms: number }> {
  const [before, startedAt] = [await cpuMs(), performance.now()];
  await work();
  const ms = performance.now() - startedAt;
  return { ms, cpu_ms: (await cpuMs()) - before };
}

export function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

const ratio = (one: number, other: number) => Number((one / other).toFixed(2));
