// Puts the messages of one source file behind the reader's language.
import { dirname, relative } from 'node:path';
import { parse } from 'svelte/compiler';
import { parseAst } from 'vite';
import { Edits } from './edits.ts';
import type { Compiling, Node } from './found.ts';
import { compileMarkup } from './markup.ts';
import { compileScript, importedBy } from './scripts.ts';

const MESSAGES = 'server/vocabulary/habits/messages.ts';
const RICH = 'src/lib/ui/text/Rich.svelte';

type Source = { path: string; text: string };

/** Undefined for a file without messages. `path` is relative to the project. */
export function compileFile({ path, text }: Source, compiling: Omit<Compiling, 'file'>): string | undefined {
  let count = 0;
  const counting: Compiling = {
    ...compiling,
    file: path,
    use: (key, found) => {
      count += 1;
      return compiling.use(key, found);
    },
  };
  const code = path.endsWith('.svelte') ? compileComponent({ path, text }, counting) : compileModule(text, counting);
  return count > 0 ? code : undefined;
}

function compileModule(text: string, compiling: Compiling): string {
  if (!text.includes('habits/messages')) return text;
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  const edits = new Edits(text);
  compileScript(program, { names: importedBy(program), edits, compiling });
  return edits.take(0, text.length);
}

type Component = { fragment: Node; instance: Node | null; module: Node | null };

function compileComponent({ path, text }: Source, compiling: Compiling): string {
  const { fragment, instance, module } = parse(text, { modern: true }) as unknown as Component;
  const edits = new Edits(text);
  const scripts = [module, instance].flatMap((script) => (script ? [script['content'] as Node] : []));
  const names = new Map(scripts.flatMap((program) => [...importedBy(program)]));
  for (const program of scripts) compileScript(program, { names, edits, compiling });
  compileScript(fragment, { names, edits, compiling }, { isLive: true });
  const needed = new Set<'say' | 'Rich'>();
  const need = (name: 'say' | 'Rich') => {
    needed.add(name);
    return name === 'say' ? 'say_' : 'Rich_';
  };
  compileMarkup(fragment, { edits, compiling, need });
  const from = (target: string) => JSON.stringify(`./${relative(dirname(path), target)}`);
  const imports = [
    ...(needed.has('say') ? [`import { say as say_ } from ${from(MESSAGES)};`] : []),
    ...(needed.has('Rich') ? [`import Rich_ from ${from(RICH)};`] : []),
  ].join(' ');
  const [own] = [instance, module].flatMap((script) => (script ? [script['content'] as Node] : []));
  if (imports && own) edits.insert(own.start, imports);
  const code = edits.take(0, text.length);
  return imports && !own ? `<script lang="ts">${imports}</script>${code}` : code;
}
