// A real server program as a fixture: killed, stopped and started again at will, and ended with the process that started it.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { findProgram } from '../run/apt-packages.mjs';

const SETPRIV = '/usr/bin/setpriv';

type Program = {
  path: string;
  args: string[];
  /** Runs as this user; only root may ask. */
  user?: { uid: number; gid: number } | undefined;
  /** Resolves true once the program answers; asked again until it does. */
  isReady: () => Promise<boolean>;
  /** Besides the environment of this process. */
  env?: Record<string, string>;
};

export type Running = {
  /** Of the process that runs now. */
  pid(): number | undefined;
  /** SIGKILL: nothing is flushed. */
  kill(): Promise<void>;
  /** Asks the process to end, so that it ends its own children, too. */
  stop(signal: 'SIGTERM' | 'SIGQUIT'): Promise<void>;
  /** SIGSTOP: the port accepts, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts it again on the same port and folder, and kills it first if it still runs. */
  restart(): Promise<void>;
};

export async function startProgram(program: Program): Promise<Running> {
  let child = await launch(program);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT'); // a stopped process reacts only to SIGKILL
    await gone;
  };
  const kill = () => end('SIGKILL');
  return {
    pid: () => child.pid,
    kill,
    stop: end,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await kill();
      child = await launch(program);
    },
  };
}

async function launch({ path, args, user, isReady, env }: Program): Promise<ChildProcess> {
  // setpriv ends the program with its parent, even when that is killed; without it an interrupted run leaves servers behind.
  const wrapped = existsSync(SETPRIV)
    ? [
        SETPRIV,
        ...(user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []),
        '--pdeathsig=KILL',
        path,
      ]
    : [path];
  const [command = path, ...before] = wrapped;
  const child = spawn(command, [...before, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(user && command !== SETPRIV ? user : {}),
  });
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let ended = false;
  child.once('error', (cause) => keep(Buffer.from(String(cause))));
  child.once('close', () => (ended = true));
  for (const giveUpAt = Date.now() + 240_000; !(await isReady());) {
    if (ended || Date.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new Error(`${path} did not start: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return child;
}

/** Linux takes the ports of outgoing connections from 32768 up: one of those could be taken before it is used. fetch refuses some below. */
const PORTS = { from: 11_000, to: 32_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false, // another program listens there
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Whether somebody listens on a port of this machine. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The absolute path of a program. */
export function programOf(name: string): string {
  const path = findProgram(name);
  if (!path) throw new Error(`The tests need ${name}: run \`npm test\`, which installs it.`);
  return path;
}
