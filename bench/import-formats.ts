// Measures how many rows of an export are read in a second: a million of each, or ROWS:
// `node --expose-gc --max-semi-space-size=16 bench/import-formats.ts [ROWS]`.
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../tests/setup/folder.ts';
import type { ImportFile } from '../server/vocabulary/imports/import.ts';
import { openImport } from '../server/vocabulary/imports/open.ts';
import { openReport } from '../server/vocabulary/imports/report.ts';
import { writeExport } from './exported.ts';
import { print } from './server.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);

async function measure(file: ImportFile) {
  globalThis.gc?.(); // what was left of writing the file
  const startedAt = performance.now();
  const opened = await openImport([file]);
  const report = openReport(opened);
  let heapBytes = 0;
  let batches = 0;
  for await (const batch of opened.read()) {
    report.add(batch);
    batches += 1;
    if (batches % 20 === 0) heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
  }
  const { rows } = report.report();
  const rowsPerSecond = Math.round((rows / (performance.now() - startedAt)) * 1000);
  print({ product: opened.product, rows, rowsPerSecond, heapMb: Math.round(heapBytes / 1e6) });
}

await using folder = await tempFolder();
for (const name of ['plausible', 'umami', 'access-log'] as const) {
  // On disk: what a file holds must not count as memory that reading it takes.
  const path = join(folder.path, name);
  await writeExport(path, name, ROWS);
  await measure({ name: 'export.csv', blob: await openAsBlob(path) });
}
