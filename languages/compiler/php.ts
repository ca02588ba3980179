// Messages in the plugin for WordPress: the calls of its functions for translations, and the description in the head of the plugin. Their places are
// those of printf: `%1$s`.
import { withoutContext } from '../../server/vocabulary/habits/messages.ts';
import { CompileError, type Compiling } from './found.ts';

const CALL = /(?<![\w$>])(?:__|_e|_ex?|_x|_nx?(?:_noop)?|esc_(?:html|attr)_[_ex])(?=\()/g;
const TEXT = String.raw`'((?:[^'\\]|\\.)*)'`;
const ARGUMENTS = new RegExp(String.raw`\(\s*${TEXT}\s*(?:,\s*${TEXT}\s*)?,\s*'footfall'\s*\)`, 'y');
const DESCRIPTION = /^ \* Description: (.+)$/m;
/** What stands in the places, on the line before a call. */
const COMMENT = /\/\* translators: (.*?)\.? \*\/\n.*$/;

const literal = (text: string): string => text.replaceAll(/\\(['\\])/g, '$1');

export function findInPhp(text: string, { file, use }: Pick<Compiling, 'file' | 'use'>): void {
  const note = (key: string, values: string[] = []) => use(key, { english: withoutContext(key), values });
  const [, description] = DESCRIPTION.exec(text) ?? [];
  if (description) note(description);
  for (const { 0: name, index } of text.matchAll(CALL)) {
    ARGUMENTS.lastIndex = index + name.length;
    const [, english, context] = ARGUMENTS.exec(text) ?? [];
    if (english === undefined || (context !== undefined) !== name.endsWith('x')) {
      const why = `${name}() takes a literal in single quotes, and the domain 'footfall'; a text by count is not read`;
      throw new CompileError(why, { file, source: text, at: index });
    }
    const [, values] = COMMENT.exec(text.slice(0, index)) ?? [];
    note(literal(context === undefined ? english : `${english}@@${context}`), values ? [values] : []);
  }
}
