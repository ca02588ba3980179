// Builds the dashboard for many languages: a number in the place of each text, and for each language files with the texts. A file has what the first
// load needs, another what the dashboard loads by itself, and a third the rest.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vite';
import { LANGUAGE_TAGS, type Language } from '../../server/vocabulary/habits/languages.ts';
import { type Catalogue, readCatalogue, translated, type Translation } from './catalogues.ts';
import { compileFile } from './compile.ts';
import type { Found } from './found.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const FILES = /^(src|server)\/.*\.(svelte|ts)$/;
const START = `${ROOT}src/language.ts`;

const GROUPS = ['first', 'dashboard', 'rest'] as const;
type Group = (typeof GROUPS)[number];

type Options = {
  /** The version of the build, a part of the files' addresses. */
  version: string;
  /** Asked once all modules are known. */
  groupOf(id: string): Group;
};

/** Numbers until the groups are known. Odd ones: a minifier writes others with an exponent. */
const markOf = (index: number) => 90_000_001 + 2 * index;
const MARK = /\b9\d{7}\b/g;

export function messages({ version, groupOf }: Options): Plugin {
  const folder = `_app/immutable/messages-${version}`;
  const found = new Map<string, Found & { mark: number; modules: Set<string> }>();
  /** By group; a message's number is its place in all of them. */
  let keys: Record<Group, string[]> = { first: [], dashboard: [], rest: [] };
  let numbers = new Map<number, { number: number; group: Group }>();
  let isBuild = true;

  function numberAll(): void {
    keys = { first: [], dashboard: [], rest: [] };
    for (const [key, { modules }] of found) {
      const groups = [...modules].map(groupOf);
      keys[GROUPS.find((group) => groups.includes(group)) ?? 'rest'].push(key);
    }
    numbers = new Map();
    for (const group of GROUPS)
      for (const key of keys[group].sort()) numbers.set(found.get(key)?.mark ?? 0, { number: numbers.size, group });
  }

  function textOf(language: Language, key: string, catalogue: Catalogue): Translation {
    const message = found.get(key);
    if (!message || language === 'en') return message?.english ?? key;
    return translated(key, message, { language, catalogue });
  }

  function filesOf(language: Language): { name: string; source: string }[] {
    const catalogue = language === 'en' ? {} : readCatalogue(language);
    let from = 0;
    return GROUPS.map((group) => {
      const texts = keys[group].map((key) => textOf(language, key, catalogue));
      const source = JSON.stringify({ from, texts });
      from += texts.length;
      return { name: `${language}.${group}.json`, source };
    });
  }

  return {
    name: 'messages',
    enforce: 'pre',
    config: (_config, { command }) => {
      isBuild = command === 'build';
    },
    applyToEnvironment: ({ name }) => name === 'client',
    transform: {
      order: 'pre',
      handler(code, id) {
        const path = relative(ROOT, id);
        if (!FILES.test(path)) return undefined;
        return compileFile(
          { path, text: code },
          {
            isNumbered: isBuild,
            use: (key, message) => {
              const known = found.get(key) ?? { ...message, mark: markOf(found.size), modules: new Set() };
              found.set(key, known);
              known.modules.add(id);
              return isBuild ? String(known.mark) : JSON.stringify(key);
            },
          },
        );
      },
    },
    renderStart: numberAll,
    renderChunk(code) {
      const groups = new Set<Group>();
      const numbered = code.replaceAll(MARK, (mark) => {
        const known = numbers.get(Number(mark));
        if (!known) return mark;
        groups.add(known.group);
        return String(known.number);
      });
      if (groups.size === 0) return null;
      const waits = GROUPS.filter((group) => groups.has(group)).map((group) => `await languageFiles.have("${group}");`);
      return { code: waits.join('') + numbered, map: null };
    },
    async generateBundle() {
      const emit = (name: string, source: string) =>
        this.emitFile({ type: 'asset', fileName: `${folder}/${name}`, source });
      emit('start.js', await startScript());
      for (const language of LANGUAGE_TAGS) for (const { name, source } of filesOf(language)) emit(name, source);
    },
    configureServer({ middlewares }) {
      const answer = async (request: IncomingMessage, response: ServerResponse) => {
        const [language = '', group] = (request.url ?? '').slice(1).split('.');
        const isScript = group === 'js';
        // Texts have no numbers here: one file has them all, by their English.
        const isAll = group === 'first' && language !== 'en';
        const texts = () => JSON.stringify({ from: 0, texts: isAll ? readCatalogue(language as Language) : {} });
        response.setHeader('content-type', isScript ? 'text/javascript; charset=utf-8' : 'application/json');
        response.end(isScript ? await startScript() : texts());
      };
      middlewares.use(`/${folder}/`, (request, response) => void answer(request, response));
    },
  };
}

/** A classic script, which runs before anything else. */
async function startScript(): Promise<string> {
  const bundle = await rolldown({ input: START });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  return output[0].code;
}
