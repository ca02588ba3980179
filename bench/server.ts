// Shared by the benchmarks: starts the server as a process on a new folder with a site, and stops or kills it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_FLAGS } from '../tests/setup/server.ts';

const root = new URL('..', import.meta.url).pathname;

export type BenchServer = {
  url: string;
  folder: string;
  pid: number;
  startedInMs: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

export function manage(folder: string, ...args: string[]): unknown {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['build/server/manage.js', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DATA_DIR: folder },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}

export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

export function makeSite(folder: string, domain = 'example.com'): { id: string; domain: string } {
  manage(folder, 'account', 'create', '--email', OWNER.email, '--password', OWNER.password, '--plan', 'pro');
  return manage(folder, 'site', 'create', '--account', OWNER.email, '--domain', domain) as {
    id: string;
    domain: string;
  };
}

/**
 * `main` is a path in the repository. The process must print its address once it listens. `group`: the file with the processes of a control group,
 * which it joins before it takes memory.
 */
export async function startServer(
  folder: string,
  main = 'build/server/main.js',
  env: Record<string, string> = {},
  group?: string,
): Promise<BenchServer> {
  const startedAt = performance.now();
  const flags = main === 'build/server/main.js' ? NODE_FLAGS : [];
  const command = [process.execPath, ...flags, main];
  const joining = group === undefined ? [] : ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', group];
  const [program = '', ...args] = [...joining, ...command];
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'error',
      TRUST_PROXY: 'loopback',
      WORKERS: '1', // on every machine
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...env,
    },
  });
  const url = await addressOf(child);
  return {
    url,
    folder,
    pid: child.pid ?? 0,
    startedInMs: performance.now() - startedAt,
    stop: async (signal = 'SIGTERM') => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /(http:\/\/[^/\s]+)/.exec(printed);
      if (found?.[1]) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}.`)));
  });
}

type Usage = {
  memoryMb: number;
  /** The part of the memory that is not the programs' files, which the system shares and may drop. */
  ownMb: number;
  cpuSeconds: number;
};

/** Memory and CPU time of a process together with its engine, from /proc. Programs that several processes use are shared out among them. */
export async function usageOf(pid: number): Promise<Usage> {
  const usages = await Promise.all([pid, ...(await childrenOf(pid)).filter(isEngine)].map(usageOfOne));
  const sumOf = (of: keyof Usage) => usages.reduce((sum, one) => sum + one[of], 0);
  return { memoryMb: sumOf('memoryMb'), ownMb: sumOf('ownMb'), cpuSeconds: sumOf('cpuSeconds') };
}

/** The workers of a server. */
export const workersOf = async (pid: number): Promise<number[]> =>
  (await childrenOf(pid)).filter((child) => !isEngine(child));

/** Also that of a program which runs from its sources, as benchmarks do. */
const isEngine = (pid: number): boolean =>
  /(?:engine-process\.js|store\/engine\/process\.ts)\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));

/** CPU time of this process and its engine. That of threads which have ended meanwhile is missing: the engine keeps its own. */
export async function cpuMs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  const engines = (await childrenOf(process.pid)).filter(isEngine);
  return (user + system) / 1e3 + engines.reduce((sum, pid) => sum + threadsMs(pid), 0);
}

/** `/proc/PID/stat` counts in steps of 10 ms, which a short question does not take. */
const threadsMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [onCpuNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(onCpuNs) / 1e6;
  }, 0);

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

async function usageOfOne(pid: number): Promise<Usage> {
  const memory = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(memory)?.[1] ?? 0) / 1024;
  return {
    memoryMb: megabytes('Pss'),
    ownMb: megabytes('Pss_Anon'),
    cpuSeconds: readStat(await readFile(`/proc/${pid}/stat`, 'utf8')).cpuSeconds,
  };
}

/** Reads `/proc/…/stat` of a process or a thread: its name, of which the system keeps 15 characters, and its user and system time. */
export function readStat(stat: string): { name: string; cpuSeconds: number } {
  const end = stat.lastIndexOf(') '); // a name may contain anything
  const fields = stat.slice(end + 2).split(' ');
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
  };
}

export function print(figures: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
