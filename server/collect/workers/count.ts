// How many processes take HTTP requests.
import { availableParallelism } from 'node:os';
import type { Config } from '../../config.ts';
import { memoryOfMachine } from '../../process/bounded-memory.ts';

/** More were not measured: see docs/scale.md. */
const USUAL_WORKERS = 4;

type Machine = { cores: number; memoryBytes: number };

/** Returns the number of processes for HTTP requests. 1 means that no process is started for them. */
export function workersOf(
  { WORKERS, ROLE, NODE_ENV }: Pick<Config, 'WORKERS' | 'ROLE' | 'NODE_ENV'>,
  { cores, memoryBytes }: Machine = { cores: availableParallelism(), memoryBytes: memoryOfMachine() },
): number {
  if (ROLE === 'writer' || NODE_ENV === 'development') return 1; // one takes no events, and Vite's reloads need one process
  return WORKERS ?? Math.max(1, Math.min(USUAL_WORKERS, cores - 1, Math.floor(memoryBytes / 1e9)));
}
