// A process that works on a queue until it is killed: `node queue-process.ts redis|sqlite WHERE PREFIX|OPTIONS append|insist|read FROM`. Prints
// one line for each action: `ready`, `+ NUMBER` for an acknowledged append, `? NUMBER` for a repeat, `read TOKEN COUNT`, `! store` for a
// refusal. `insist` sends again what was refused.
import { Unavailable } from '../../../server/errors.ts';
import { openLog } from '../../../server/process/log.ts';
import { openRedisQueue } from '../../../server/queue/redis/queue.ts';
import { openSqliteQueue } from '../../../server/queue/sqlite/queue.ts';
import { openRedis } from '../../../server/process/redis/redis.ts';
import { NOON } from '../clock.ts';
import { sampleEvent } from '../event.ts';
import { ofSample } from './queue.ts';

const [form, where = '', detail = '', task, from = '0'] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const queue =
  form === 'redis'
    ? ofSample(await openRedisQueue({ redis: await openRedis(where), log: openLog('silent'), prefix: detail }))
    : await openSqliteQueue({ path: where, ...(JSON.parse(detail) as object) });
say('ready');

if (task === 'read') {
  const batch = await queue.read(5);
  say(`read ${batch?.token} ${batch?.entries.length}`);
  setInterval(() => undefined, 1000); // holds it, unacknowledged, until it is killed
} else {
  let next = Number(from);
  const refused: number[] = [];
  const caller = async () => {
    for (;;) {
      const number = refused.pop() ?? next++;
      try {
        const [isNew] = await queue.append([sampleEvent(number)], NOON);
        say(`${isNew ? '+' : '?'} ${number}`);
      } catch (error) {
        say(`! ${error instanceof Unavailable ? error.store : String(error)}`);
        if (task === 'insist') refused.push(number);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  for (let i = 0; i < 10; i++) void caller();
}
