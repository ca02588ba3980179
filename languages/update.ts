// Brings the catalogues up to date with the code: `npm run languages`. A message that is new stands in languages/missing/de.json with what a translator
// needs to know of it; once it is translated there, the next run takes it into languages/de.json. Messages that nobody uses any more are deleted.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../server/vocabulary/habits/languages.ts';
import { type Catalogue, categoriesOf, faultOf, pathOf, readCatalogue, TRANSLATED } from './compiler/catalogues.ts';
import { allMessages, type Located } from './compiler/sources.ts';
import { sentencesIn } from './sentences.ts';

/** What a translator sees of a message: fill in `translation`. */
type Missing = Record<string, { translation: Catalogue[string]; in: readonly string[]; values?: readonly string[] }>;

const missingPath = (language: Language): string => join(import.meta.dirname, `missing/${language}.json`);
const write = (path: string, value: object) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

function readMissing(language: Language): Catalogue {
  if (!existsSync(missingPath(language))) return {};
  const missing = JSON.parse(readFileSync(missingPath(language), 'utf8')) as Missing;
  return Object.fromEntries(Object.entries(missing).map(([key, { translation }]) => [key, translation]));
}

function emptyOf({ english }: Located, language: Language): Catalogue[string] {
  return typeof english === 'string' ? '' : Object.fromEntries(categoriesOf(language).map((name) => [name, '']));
}

function update(language: Language, messages: ReadonlyMap<string, Located>): void {
  const known: Catalogue = { ...readCatalogue(language), ...readMissing(language) };
  const catalogue: Catalogue = {};
  const missing: Missing = {};
  for (const [key, message] of [...messages].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const translation = known[key];
    const fault = faultOf(translation, message, language);
    if (translation !== undefined && !fault) catalogue[key] = translation;
    else {
      if (translation !== undefined && JSON.stringify(translation) !== JSON.stringify(emptyOf(message, language)))
        console.log(`${language}: “${key}” ${fault}`);
      const { files, values } = message;
      missing[key] = { translation: emptyOf(message, language), in: files, ...(values.length > 0 && { values }) };
    }
  }
  write(pathOf(language), catalogue);
  const left = Object.keys(missing).length;
  if (left === 0) rmSync(missingPath(language), { force: true });
  else {
    mkdirSync(join(missingPath(language), '..'), { recursive: true });
    write(missingPath(language), missing);
  }
  console.log(
    `${language}: ${Object.keys(catalogue).length} messages${left ? `, ${left} to translate in languages/missing/${language}.json` : ''}`,
  );
}

const [listed] = process.argv.slice(2);
if (listed !== undefined) {
  console.log(sentencesIn(listed as Language).join('\n'));
  process.exit();
}
const messages = allMessages();
for (const language of TRANSLATED) update(language, messages);
