// Chooses the language before anything is drawn, and begins to load its messages. Modules wait for the file with theirs before they run: see
// languages/compiler/plugin.ts, which builds this as a classic script.
import { isRightToLeft, type Language, languageOf } from '../server/vocabulary/habits/languages.ts';
import type { Messages } from '../server/vocabulary/habits/messages.ts';

const folder = (document.currentScript as HTMLScriptElement).src.replace(/start\.js$/, '');

/** A shared dashboard is in the language of its address, which changes with the view; an account remembers the choice of its person. */
function asked(): string | null {
  try {
    return (
      new URLSearchParams(location.search).get('lang') ??
      (location.pathname.startsWith('/share/') ? sessionStorage.getItem('lang') : localStorage.getItem('language'))
    );
  } catch {
    return null; // a browser that forbids storage
  }
}

/** A message has a number: its place in all files of its language. While the dashboard is developed, it has its English text. */
type File = { from: number; texts: readonly Messages[string][] | Messages };
const tables: Record<string, Record<string, Messages[string]>> = {};
const loads = new Map<string, Promise<void>>();
const wanted: string[] = [];

function load(language: Language, group: string): Promise<void> {
  const name = `${language}.${group}.json`;
  const known = loads.get(name);
  if (known) return known;
  const loading = fetch(folder + name)
    .then((response) => (response.ok ? (response.json() as Promise<File>) : Promise.reject(new TypeError(name))))
    .then(({ from, texts }) => {
      const table = (tables[language] ??= {});
      for (const [key, text] of Object.entries(texts)) table[Array.isArray(texts) ? from + Number(key) : key] = text;
    });
  loading.catch(() => loads.delete(name)); // asked again the next time
  loads.set(name, loading);
  return loading;
}

const chosen = asked();
/** The language that was chosen last. Another one may take longer to load. */
let latest: Language | undefined;
const files = {
  language: languageOf(chosen ? [chosen] : navigator.languages),
  tables: tables as Record<string, Messages>,
  /** Awaited by parts of the page. */
  have(group: string): Promise<void> {
    if (!wanted.includes(group)) wanted.push(group);
    return load(files.language, group);
  },
  /** Loads all that was loaded in another language. The page's own is then this one, unless a further one has been chosen meanwhile. */
  async change(language: Language): Promise<void> {
    latest = language;
    await Promise.all(wanted.map((group) => load(language, group)));
    if (language !== latest) return;
    files.language = language;
    show();
  },
};

function show(): void {
  document.documentElement.lang = files.language;
  document.documentElement.dir = isRightToLeft(files.language) ? 'rtl' : 'ltr';
}

export type LanguageFiles = typeof files;
Object.assign(globalThis, { languageFiles: files });
show();
void files.have('first');
