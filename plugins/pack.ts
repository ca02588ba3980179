// Builds the plugin for WordPress as `/footfall-wordpress.zip`, with the version of Footfall, the client for Python as `/footfall.py`, and the
// template for Google Tag Manager as `/footfall-gtm.tpl`.
// The same sources give the same bytes.
import { copyFileSync, createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { TRANSLATED } from '../languages/compiler/catalogues.ts';
import manifest from '../package.json' with { type: 'json' };
import { moOf } from './mo.ts';

const root = join(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'wordpress');
/** The earliest time of a ZIP file. */
const entry = { mtime: new Date(1980, 0, 1), mode: 0o100644, forceDosTimestamp: true };

const zip = new ZipFile();
zip.addBuffer(readFileSync(join(root, 'LICENSE')), 'footfall/LICENSE', entry);
for (const name of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, name), 'utf8').replaceAll('0.0.0', manifest.version);
  zip.addBuffer(Buffer.from(text), `footfall/${name}`, entry);
}
for (const language of TRANSLATED) zip.addBuffer(moOf(language), `footfall/languages/footfall-${language}.mo`, entry);
zip.end();
await pipeline(zip.outputStream, createWriteStream(join(root, 'build/app/footfall-wordpress.zip')));

const client = readFileSync(join(import.meta.dirname, 'python/footfall.py'), 'utf8');
writeFileSync(join(root, 'build/app/footfall.py'), client.replace('0.0.0', manifest.version));

copyFileSync(join(import.meta.dirname, 'gtm/footfall.tpl'), join(root, 'build/app/footfall-gtm.tpl'));
