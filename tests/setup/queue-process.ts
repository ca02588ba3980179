// A process that works on a queue until it is killed: `node queue-process.ts sqlite|redis WHERE PREFIX append|read FROM`. Prints one line
// for each action: `ready`, `+ NUMBER` for an acknowledged append, `read TOKEN COUNT`, `! store` for a refusal.
import { Unavailable } from '../../server/errors.ts';
import { openLog } from '../../server/log.ts';
import { openRedisQueue } from '../../server/queue/redis.ts';
import { openSqliteQueue } from '../../server/queue/sqlite.ts';
import { openRedis } from '../../server/redis.ts';
import { NOON } from './clock.ts';
import { sampleEvent } from './event.ts';

const [form, where = '', prefix = '', task, from = '0'] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const queue =
  form === 'redis'
    ? await openRedisQueue({ redis: await openRedis(where), log: openLog('silent'), prefix })
    : await openSqliteQueue({ path: where });
say('ready');

if (task === 'read') {
  const batch = await queue.read(5);
  say(`read ${batch?.token} ${batch?.entries.length}`);
  setInterval(() => undefined, 1000); // holds it, unacknowledged, until it is killed
} else {
  let next = Number(from);
  const caller = async () => {
    for (;;) {
      const number = next++;
      try {
        await queue.append([sampleEvent(number)], NOON);
        say(`+ ${number}`);
      } catch (error) {
        say(`! ${error instanceof Unavailable ? error.store : String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  for (let i = 0; i < 10; i++) void caller();
}
