// Finds the engine's process, and asks it past its server.
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Of the bundle, or of the sources. */
const ENGINE = /engine(-process\.js|\/process\.ts)$/;

/** The process of the engine whose folder is given. */
export async function engineOf(events: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const [program = '', folder] = command.split('\0').slice(-3);
    if (ENGINE.test(program) && folder === events) return Number(pid);
  }
  throw new Error('the engine does not run');
}

/** Runs a statement that reads, and returns its answer as tab-separated lines. */
export async function askEngine(events: string, sql: string): Promise<string> {
  const asked = request({ socketPath: join(events, 'sock'), method: 'POST', path: '/?readonly=1' });
  asked.end(`${sql} FORMAT TabSeparated`);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return (await text(answer)).trim();
}

/** A statement that runs until it is ended. */
export const ENDLESS = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';

/** A statement that takes gigabytes. */
export const FILLING = "SELECT length(groupArray(repeat('x', 1000000))) FROM numbers(10000)";

/** How many endless ones run. */
export const endlessOnes = async (events: string): Promise<number> =>
  Number(await askEngine(events, "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64' || '(number)%'"));
