import { describe, expect, it } from 'vitest';
import { compileFile } from './compile.ts';
import type { Found } from './found.ts';
import { findInPhp } from './php.ts';

function compile(text: string, { path = 'src/lib/Some.svelte', isNumbered = true } = {}) {
  const keys: string[] = [];
  const use = (key: string) => {
    if (!keys.includes(key)) keys.push(key);
    return isNumbered ? String(keys.indexOf(key)) : JSON.stringify(key);
  };
  const code = compileFile({ path, text }, { isNumbered, use });
  return { keys, code: code?.replace(/^<script lang="ts">import .*?<\/script>/, '') };
}
const SAY = '../../server/vocabulary/habits/messages.ts';
const script = (text: string) => compile(text, { path: 'src/lib/some.ts' });
const IMPORT = `import { t, tn, texts, textsOf } from '${SAY}';\n`;

describe('markup', () => {
  it.each([
    ['<p>Save</p>', ['Save'], '<p>{say_(0)}</p>'],
    ['<p> Of {paid + 1} \n paid </p>', ['Of {0} paid'], '<p> {say_(0, { 0: paid + 1 })} </p>'],
    ['<button><Icon name="x" /> Close</button>', ['Close'], '<button><Icon name="x" /> {say_(0)}</button>'],
    ['<i title="Rows of {name}"></i>', ['Rows of {0}'], '<i title={say_(0, { 0: name })}></i>'],
    ['<Field label="Name" name="name" />', ['Name'], '<Field label={say_(0)} name="name" />'],
    [
      '<p>See <a href="/{x}">the <b>log</b></a> or {y}</p>',
      ['See <0>the <1>log</1></0> or {0}'],
      '<p><Rich_ text={0} values={{ 0: y }}>{#snippet t0(inner)}<a href="/{x}"><Rich_ parts={inner}>{#snippet t1(inner)}<b>{inner}</b>{/snippet}</Rich_></a>{/snippet}</Rich_></p>',
    ],
    [
      '<p>Set <code>A</code>.</p>',
      ['Set <0/>.'],
      '<p><Rich_ text={0}>{#snippet t0()}<code>A</code>{/snippet}</Rich_></p>',
    ],
    ['<p>One. {#if x}Two {z}.{/if}</p>', ['Two {0}.', 'One.'], '<p>{say_(1)} {#if x}{say_(0, { 0: z })}{/if}</p>'],
    ['<p>{a}<b>&nbsp;of visitors</b></p>', ['of visitors'], '<p>{a}<b>&nbsp;{say_(0)}</b></p>'],
    ['<th>Share@@of the whole</th>', ['Share@@of the whole'], '<th>{say_(0)}</th>'],
    ['<p>Left<span>Right</span></p>', ['Left<0>Right</0>'], undefined],
    ['<label>Name <input /></label>', ['Name'], '<label>{say_(0)} <input /></label>'],
  ])('%s', (text, keys, code) => {
    const compiled = compile(text);
    expect(compiled.keys).toEqual(keys);
    if (code !== undefined) expect(compiled.code).toBe(code);
  });

  it.each([
    '<p>{a} · {b}</p>',
    '<p>Footfall</p>',
    '<code>rows</code>',
    '<p translate="no">Chrome</p>',
    '<p class="bad"></p>',
  ])('%s has no messages', (text) => expect(compile(text)).toEqual({ keys: [], code: undefined }));

  it('has calls inside of messages', () => {
    const text = `<script lang="ts">import { t } from '${SAY}';</script><p>It is {on ? t('on') : t('off')}</p>`;
    const { keys, code } = compile(text);
    expect(keys).toEqual(['on', 'off', 'It is {0}']);
    expect(code).toContain('<p>{say_(2, { 0: on ? t(0) : t(1) })}</p>');
  });
});

describe('scripts', () => {
  it('have numbers in the place of texts', () => {
    const text = `${IMPORT}const say = () => t('Save') + t('{a} of {b}', { a, b }) + tn(n, '{n} row', '{n} rows');`;
    const { keys, code } = script(text);
    expect(keys).toEqual(['Save', '{a} of {b}', '{n} row | {n} rows']);
    expect(code).toContain(`() => t(0) + t(1, { a, b }) + tn(n, 2, '');`);
  });

  it('have tables, of which some texts are messages', () => {
    const text = `${IMPORT}const A = texts({ a: 'One', b: { c: 'Two', d: ['Three'] } });
const B = textsOf(['label'], [{ label: 'Four', id: 'four' }] satisfies Row[]);`;
    const { keys, code } = script(text);
    expect(keys).toEqual(['One', 'Two', 'Three', 'Four']);
    expect(code).toContain(`/* @__PURE__ */ texts({ a: 0, b: { c: 1, d: [2] } })`);
    expect(code).toContain(`textsOf(['label'], [{ label: 3, id: 'four' }] satisfies Row[])`);
  });

  it.each([
    [`const a = t('Once');`, 'src/lib/some.ts:2: t() runs once here'],
    [`const say = () => t(other);`, 'a text that is translated is a plain literal'],
    ['const A = texts({ a: `x ${y}` });', 'a text of a table is a plain literal'],
    [`const say = () => tn(n, one, 'Many');`, 'tn takes a count and two plain literals'],
  ])('%s is refused', (text, why) => expect(() => script(IMPORT + text)).toThrow(why));

  it('keep their texts while the dashboard is developed', () => {
    const text = `${IMPORT}const say = () => t('Save') + tn(n, '{n} row', '{n} rows');`;
    const { code } = compile(text, { path: 'src/lib/some.ts', isNumbered: false });
    expect(code).toBe(text.replace(`'Save'`, '"Save"'));
  });
});

describe('the plugin for WordPress', () => {
  function find(text: string): [string, Found][] {
    const all: [string, Found][] = [];
    findInPhp(text, { file: 'plugin.php', use: (key, found) => String(all.push([key, found])) });
    return all;
  }

  it.each([
    [`<?php\n/**\n * Description: Counts visits.\n */`, ['Counts visits.', 'Counts visits.', []]],
    [`printf( esc_html__( 'It\\'s %s', 'footfall' ), $name );`, [`It's %s`, `It's %s`, []]],
    [`/* translators: %s: host. */\n\t_e( 'At %s', 'footfall' );`, ['At %s', 'At %s', ['%s: host']]],
    [`esc_attr_x( 'Share', 'of the whole', 'footfall' )`, ['Share@@of the whole', 'Share', []]],
  ])('%s', (text, [key, english, values]) => expect(find(text)).toEqual([[key, { english, values }]]));

  it.each([
    `__( $text, 'footfall' )`,
    `__( 'Save' )`,
    `__( 'Save', 'woocommerce' )`,
    `__( 'Share', 'of the whole', 'footfall' )`,
    `_n( '%d visit', '%d visits', $visits, 'footfall' )`,
  ])('%s is refused', (text) => expect(() => find(`<?php\necho ${text};`)).toThrow(/^plugin\.php:2: _/));
});
