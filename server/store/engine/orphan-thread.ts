// A thread that ends the engine's process when its server has ended: the main thread may be inside the engine, which can block it for ever.
import { workerData } from 'node:worker_threads';

const CHECK_MS = 500;

setInterval(() => {
  if (process.ppid !== (workerData as number)) process.kill(process.pid, 'SIGKILL');
}, CHECK_MS);
