// What scripts add to a page: search, the theme, copying of code, and which heading is being read.
import type { Section } from './pages.ts';
import { type Found, openSearch } from './search.ts';

const find = <Kind extends Element>(selector: string, inside: ParentNode = document) =>
  inside.querySelector<Kind>(selector);

showCurrent();
startTheme();
startCopying();
startContents();
startSearch();

/** The menu is longer than the window. */
function showCurrent() {
  const menu = find<HTMLElement>('.menu');
  const current = menu && find<HTMLElement>('[aria-current]', menu);
  if (current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
}

function startTheme() {
  const button = find<HTMLButtonElement>('button.theme');
  if (!button) return;
  const { documentElement: page } = document;
  const name = () => {
    const other = page.dataset['theme'] === 'dark' ? 'light' : 'dark';
    button.textContent = other === 'dark' ? '☾' : '☀';
    button.ariaLabel = `Use the ${other} theme`;
  };
  button.hidden = false;
  name();
  new MutationObserver(name).observe(page, { attributeFilter: ['data-theme'] });
  button.addEventListener('click', () => {
    const other = page.dataset['theme'] === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('theme', other); // the dashboard's setting: see static/theme.js
    } catch {
      page.dataset['theme'] = other;
      return;
    }
    dispatchEvent(new Event('footfall:theme'));
  });
}

function startCopying() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      const said = (text: string) => {
        button.textContent = text;
        setTimeout(() => (button.textContent = 'Copy'), 1500);
      };
      navigator.clipboard.writeText(find('code', block)?.textContent ?? '').then(
        () => said('Copied'),
        () => said('Not allowed'),
      );
    });
    block.append(button);
  }
}

function startContents() {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [link.hash.slice(1), link]),
  );
  const headings = [...document.querySelectorAll('article [id]')].filter(({ id }) => links.has(id));
  const seen = new Set<Element>();
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) seen[isIntersecting ? 'add' : 'delete'](target);
      const first = headings.find((heading) => seen.has(heading));
      if (!first) return;
      for (const [id, link] of links) link.toggleAttribute('data-read', id === first.id);
    },
    { rootMargin: '-70px 0px -60% 0px' },
  );
  headings.forEach((heading) => watcher.observe(heading));
}

function startSearch() {
  const box = find<HTMLElement>('.search');
  const input = box && find<HTMLInputElement>('input', box);
  const found = box && find<HTMLElement>('#found', box);
  const list = found && find('ol', found);
  const status = found && find('p', found);
  if (!input || !list || !status) return;
  const { index = '', base = '' } = box.dataset;
  let opening: Promise<(words: string) => Found[]> | undefined;
  /** The texts are loaded once somebody wants to search. */
  const open = () =>
    (opening ??= fetch(index)
      .then((answer) => answer.json())
      .then((sections) => openSearch(sections as Section[])));
  const show = async () => {
    const words = input.value;
    if (words.trim() === '') {
      found.hidden = true;
      return;
    }
    const results = await open().then(
      (search) => search(words),
      () => (opening = undefined),
    );
    if (input.value !== words) return;
    status.textContent = results ? sayCount(results.length) : 'The search could not be loaded. Try again.';
    list.replaceChildren(...(results ?? []).map((one) => rowOf(one, base)));
    found.hidden = false;
  };
  box.hidden = false;
  input.addEventListener('focus', () => void open().catch(() => (opening = undefined)));
  input.addEventListener('input', () => void show());
  const close = () => (found.hidden = true);
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(target as Node)) close();
  });
  list.addEventListener('click', () => {
    close();
    input.value = '';
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if ((event.key === '/' && !typing) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      input.select();
    }
  });
  box.addEventListener('keydown', (event) => {
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement as HTMLInputElement);
    if (event.key === 'Escape') {
      input.focus();
      close();
    } else if (event.key === 'Enter' && at === 0) stops[1]?.click();
    else if (event.key === 'ArrowDown') stops[at + 1]?.focus();
    else if (event.key === 'ArrowUp') stops[at - 1]?.focus();
    else return;
    event.preventDefault();
  });
}

const sayCount = (count: number) => {
  if (count === 0) return 'Nothing found.';
  return count === 1 ? '1 result' : `${count} results`;
};

function rowOf({ page, title, anchor, heading, excerpt, terms }: Found, base: string): Element {
  const row = document.createElement('li');
  const link = document.createElement('a');
  link.href = `${base}${page}.html${anchor && `#${anchor}`}`;
  const head = document.createElement('strong');
  head.textContent = heading === title ? title : `${title} › ${heading}`;
  const text = document.createElement('span');
  text.append(...marked(excerpt, terms));
  link.append(head, text);
  row.append(link);
  return row;
}

/** Words of the text that were searched, as marks. */
function marked(text: string, terms: readonly string[]): Node[] {
  const wanted = new Set(terms);
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => {
    if (!wanted.has(part.toLowerCase())) return document.createTextNode(part);
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}
