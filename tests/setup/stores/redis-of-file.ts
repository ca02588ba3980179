// A Redis for all tests of a file, with a connection to it; stopped after the last test. Call it at the top of the file.
import { afterAll } from 'vitest';
import { openRedis, type Redis } from '../../../server/process/redis/redis.ts';
import { startRedis, type TestRedis } from './redis.ts';

/** `newPrefix` gives each test keys of its own. */
export async function redisOfFile(): Promise<{ server: TestRedis; redis: Redis; newPrefix: () => string }> {
  const server = await startRedis();
  const redis = await openRedis(server.url);
  afterAll(async () => {
    await redis.close();
    await server[Symbol.asyncDispose]();
  });
  let last = 0;
  return { server, redis, newPrefix: () => `test${(last += 1)}` };
}
