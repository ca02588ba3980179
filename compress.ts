// Compresses what was built, once, so that the server need not: `node compress.ts FOLDER…`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXTS = /\.(html|js|json|css|svg|wasm|txt)$/;
const { BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, Z_BEST_COMPRESSION } = constants;

/** Writes each text of a folder as gzip and brotli, too. A few at a time: some machines allow 1,024 open files. */
async function compressFolder(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => TEXTS.test(name));
  const left = files.map((name) => join(folder, name)).values();
  const work = async () => {
    for (const file of left) {
      const text = readFileSync(file);
      writeFileSync(
        `${file}.br`,
        await promisify(brotliCompress)(text, { params: { [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT } }),
      );
      writeFileSync(`${file}.gz`, await promisify(gzip)(text, { level: Z_BEST_COMPRESSION }));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

for (const folder of process.argv.slice(2)) await compressFolder(folder);
