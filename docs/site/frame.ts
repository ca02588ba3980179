// The frame of every page: the bar, the menu at the left, what is on this page at the right. It can be read and used without scripts.
import { escapeXml } from '../../server/vocabulary/texts/markup.ts';
import type { Group, Page, Written } from './pages.ts';

/** Addresses below the site's root. */
export type Assets = { theme: string; script: string; style: string; index: string; mark: string };
export type Site = { groups: Group[]; assets: Assets; version: string };

/** `base`: where the site is, if the page does not stand beside the others. */
export function framePage(
  { groups, assets, version }: Site,
  page: Page,
  { html, headings }: Written,
  base = '',
): string {
  const all = groups.flatMap(({ pages }) => pages);
  const at = all.findIndex(({ name }) => name === page.name);
  const hrefOf = ({ name }: Page) => `${base}${name}.html`;
  const link = (one: Page) =>
    `<li><a href="${hrefOf(one)}"${one.name === page.name ? ' aria-current="page"' : ''}>${escapeXml(one.title)}</a></li>`;
  const menu = groups.map(({ title, pages }) => `<h2>${escapeXml(title)}</h2>\n<ul>${pages.map(link).join('\n')}</ul>`);
  const neighbour = (one: Page | undefined, says: 'Previous' | 'Next') =>
    one && at >= 0
      ? `<a class="${says.toLowerCase()}" href="${hrefOf(one)}"><span>${says}</span>${escapeXml(one.title)}</a>`
      : '';
  const shown = headings.filter(({ depth }) => depth <= 3);
  const contents = shown.map(
    ({ depth, anchor, text }) => `<li class="depth-${depth}"><a href="#${anchor}">${escapeXml(text)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.name === 'index' ? 'Footfall documentation' : `${escapeXml(page.title)} · Footfall documentation`}</title>
<link rel="icon" href="${base}${assets.mark}" type="image/svg+xml">
<script src="${base}${assets.theme}"></script>
<link rel="stylesheet" href="${base}${assets.style}">
<script type="module" src="${base}${assets.script}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="bar">
<a class="brand" href="${base}index.html"><img src="${base}${assets.mark}" width="28" height="28" alt="">Footfall <span>Docs</span></a>
<search class="search" data-index="${base}${assets.index}" data-base="${base}" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="found" maxlength="100">
<kbd aria-hidden="true">/</kbd>
<div id="found" hidden><p role="status"></p><ol></ol></div>
</search>
<nav aria-label="Parts"><a class="to-api" href="${base}api.html">API</a><a class="to-menu" href="#menu">Menu</a></nav>
<button class="theme" type="button" hidden></button>
</header>
<div class="columns">
<nav class="menu" id="menu" aria-label="Pages">
<a class="close" href="#text">Close</a>
${menu.join('\n')}
</nav>
<main id="text" tabindex="-1">
<article>
${html}</article>
<nav class="neighbours" aria-label="Next pages">
${neighbour(all[at - 1], 'Previous')}${neighbour(all[at + 1], 'Next')}
</nav>
<footer>Footfall ${escapeXml(version)}: this documentation belongs to this version.${page.file === undefined ? '' : ` Written in <code>${escapeXml(page.file)}</code>.`}</footer>
</main>
<nav class="contents" aria-label="On this page">
${shown.length < 2 ? '' : `<h2>On this page</h2>\n<ul>${contents.join('\n')}</ul>`}
</nav>
</div>
</body>
</html>
`;
}
