// Gives the browser a processor core of its own, as a reader's machine is not the server's. Frames would otherwise wait for the server and
// for the load: of a frame of 38 ms, the page itself had worked for 9.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Moves this process and its servers to the other cores. Returns false where that is not possible: on a single core, or not on Linux. */
export function giveBrowserOwnCore(): boolean {
  const last = availableParallelism() - 1;
  if (process.platform !== 'linux' || last === 0) return false;
  for (const pid of descendantsOf(process.pid)) {
    const isBrowser = readlinkSync(`/proc/${pid}/exe`) !== process.execPath;
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', isBrowser ? `${last}` : `0-${last - 1}`, `${pid}`]);
  }
  return true;
}

/** The process itself first. */
function descendantsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(descendantsOf)];
}
