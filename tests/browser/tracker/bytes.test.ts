// The size limit, and the size of each feature: the script is built again without it.
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { expect, test } from 'vitest';
import { buildScript, builtScript } from './script.ts';

const MAX_BYTES = 1250;

type Cut = { file: string; text: string | RegExp; with?: string };

const CATCH = /try \{([\s\S]*)\} catch \{[\s\S]*?\n {2}\}/;

const FEATURES: Record<string, Cut[]> = {
  'retries after 503, after being offline, when hidden': [
    { file: 'send', text: /if \(!waiting[\s\S]*?failures\);/ },
    { file: 'pageviews', text: 'sendAgain() ||' },
  ],
  'attempts while offline are not counted': [{ file: 'send', text: 'if (navigator.onLine)' }],
  'single-page routing': [
    { file: 'main', text: 'startRouting();' },
    { file: 'listeners', text: /toggle\(window\.navigation.*/ },
  ],
  'routing in older browsers': [{ file: 'main', text: 'startRouting();' }],
  'changes of the query': [
    { file: 'pageviews', text: 'address === counted', with: 'address.split(/[?#]/)[0] === counted.split(/[?#]/)[0]' },
    { file: 'declared', text: ', from: counted' },
  ],
  'routing by hash': [{ file: 'address', text: /\.replace\(.*\);/, with: ".replace(/#(?!0?38;).*/, '');" }],
  'tags behind an escaped ampersand': [{ file: 'address', text: '(?!0?38;)' }],
  'back-forward cache': [{ file: 'listeners', text: 'pagehide: forgetPage,' }],
  'prerendered pages': [
    { file: 'listeners', text: 'prerenderingchange: seeOrLeave,' },
    { file: 'pageviews', text: 'document.prerendering ||' },
  ],
  'background tabs': [{ file: 'pageviews', text: 'document.hidden ||' }],
  'engagement and scroll depth': [
    { file: 'reading', text: /if \(visibleSince\) \{[\s\S]*deepestPx = 0;/ },
    { file: 'reading', text: /deepestPx = Math.*/ },
  ],
  'goals by scrolling': [{ file: 'reading', text: /for \(const goal[\s\S]*?\n {2}\}/ }],
  'declared events': [{ file: 'interactions', text: /if \(declared &&[^;]*;/ }],
  'properties of page views': [{ file: 'pageviews', text: ", declaredProps(snippet, 'data-foot-')" }],
  'outbound links': [{ file: 'interactions', text: "link.host !== location.host && 'outbound_link'", with: "''" }],
  'file downloads': [{ file: 'interactions', text: /\/\\\.\([^)]*\)x\?\$\/i\.test\(url\) \|\| [^?]*\?/, with: "'' ?" }],
  'links with a download attribute': [{ file: 'interactions', text: "|| link.closest('[download]')" }],
  'mailto: and tel:': [{ file: 'interactions', text: /\/\^mail[\s\S]*?'phone_link'\s+: ''/, with: "''" }],
  'form submissions': [{ file: 'interactions', text: /if \(isSubmit\) \{[\s\S]*?\belse\b/ }],
  'forms that close a dialog': [{ file: 'interactions', text: /if \(!\/dialog.*/ }],
  'middle button': [{ file: 'listeners', text: 'auxclick: interact,' }],
  '404 pages': [{ file: 'pageviews', text: /if \(404 in options\).*/ }],
  'canonical link': [
    { file: 'pageviews', text: /const canonical = [^;]*;/, with: 'const canonical = undefined as any;' },
  ],
  'calls before the script has loaded': [{ file: 'pageviews', text: 'window.footfall?.q ||' }],
  'modules and removed scripts': [{ file: 'options', text: " || document.querySelector('script[data-site]')" }],
  'error for a missing data-site': [{ file: 'main', text: /if \(!options\.site\)[\s\S]*?else if/, with: 'if' }],
  'hook before sending': [{ file: 'record', text: /event = \(window[^;]*;/ }],
  'endpoint of your own': [{ file: 'send', text: 'options.endpoint ||' }],
  'switches of automatic events': [{ file: 'record', text: "&& options[name] !== 'off'" }],
  'frames of the same site': [{ file: 'ignore', text: /\(parent !== window.*\|\|/ }],
  'localhost, private addresses, files': [{ file: 'ignore', text: /\/\]\|local.*\|\|/ }],
  'opt-out in the browser': [{ file: 'ignore', text: /localStorage\.footfall_ignore === 'true'/, with: 'false' }],
  'never throws': ['interactions', 'record'].map((file) => ({ file, text: CATCH, with: '$1' })),
  'listeners are removed after the last attempt': [
    { file: 'listeners', text: "timer ? 'removeEventListener' : 'addEventListener'", with: "'addEventListener'" },
  ],
};

const without = (cuts: Cut[]): Plugin => ({
  name: 'without',
  enforce: 'pre',
  transform: (code, id) => {
    for (const cut of cuts) {
      if (!id.endsWith(`/tracker/${cut.file}.ts`)) continue;
      const less = code.replace(cut.text, cut.with ?? '');
      if (less === code) throw new Error(`${cut.file}.ts no longer holds ${String(cut.text)}.`);
      code = less;
    }
    return code;
  },
});

const bytesOf = (code: string) => brotliCompressSync(code).length;

test(`the whole script is at most ${MAX_BYTES} bytes with brotli, and the size of each feature is known`, async () => {
  const script = await builtScript();
  const all = bytesOf(script);
  const costs: [feature: string, bytes: number][] = [];
  for (const [feature, cuts] of Object.entries(FEATURES))
    costs.push([feature, all - bytesOf(await buildScript([without(cuts)]))]);
  costs.sort((a, b) => b[1] - a[1]);
  console.log(
    [
      `foot.js: ${all} bytes with brotli, ${script.length} as it is`,
      ...costs.map(([feature, bytes]) => `${String(bytes).padStart(5)} ${feature}`),
    ].join('\n'),
  );
  expect(all).toBeLessThanOrEqual(MAX_BYTES);
});

test('the script is one statement and defines no global names', async () => {
  const script = await builtScript();
  expect(script).toMatch(/^\{let .*\}\n?$/s);
  expect(script).not.toMatch(
    /\b(?:var|function|class) |document\.cookie|sessionStorage|setItem|footfall_ignore=[^=]|eval|Function\(/,
  );
});
