// A Redis for all tests of a file, with a connection to it; stopped after the last test. Call it at the top of the file.
import { afterAll } from 'vitest';
import { openRedis, type Redis } from '../../../server/process/redis/redis.ts';
import { startRedis, type TestRedis } from './redis.ts';

export async function redisOfFile(): Promise<{ server: TestRedis; redis: Redis }> {
  const server = await startRedis();
  const redis = await openRedis(server.url);
  afterAll(async () => {
    await redis.close();
    await server[Symbol.asyncDispose]();
  });
  return { server, redis };
}
