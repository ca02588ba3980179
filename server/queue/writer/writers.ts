// The writers of a process, one for each partition: each has its own lease, order and pace. To the rest of the process they are one writer.
import type { Writer } from './writer.ts';

/** `leave` is called before the writers stop: from then on, they take no partitions that others release. */
export function openWriters(writers: Writer[], leave: () => Promise<void>): Writer {
  return {
    async writeOnce() {
      const written = await Promise.all(writers.map((writer) => writer.writeOnce()));
      return written.reduce((sum, count) => sum + count, 0);
    },
    between: <Value>(work: () => Promise<Value>) =>
      writers.reduceRight<() => Promise<Value>>((inner, writer) => () => writer.between(inner), work)(),
    async drain() {
      await Promise.all(writers.map((writer) => writer.drain()));
    },
    start: () => writers.forEach((writer) => writer.start()),
    async stop() {
      await leave();
      await Promise.all(writers.map((writer) => writer.stop()));
    },
  };
}
