// Rules and documents about the code, checked against the code: directions of imports, paths, the environment.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { environment } from '../server/config.ts';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesBelow = (path: string): string[] =>
  readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** Files that everything may import. */
const GROUND = [
  'vocabulary',
  'errors.ts',
  'event.ts',
  'log.ts',
  'security-log.ts',
  'config.ts',
  'markup.ts',
  'bounded-memory.ts',
  'partitions.ts',
  'progress.ts',
  'turns.ts',
];
/** What each folder may import besides its own files and GROUND, and the reason for this direction. */
const DIRECTIONS: Record<string, { may: string[]; because: string }> = {
  vocabulary: { may: [], because: 'the dashboard uses it too' },
  store: { may: [], because: 'it speaks to ClickHouse, and knows nothing of who asks' },
  http: { may: [], because: 'it handles requests and answers, whatever they are about' },
  redis: { may: [], because: 'it speaks to Redis, whatever is kept there' },
  queue: {
    may: ['store', 'redis', 'batching.ts'],
    because: 'it takes events from the door to the store, and knows neither',
  },
  live: {
    may: ['store', 'redis', 'batching.ts'],
    because: 'windows are fed, and read back from the store at the start',
  },
  metrics: { may: [], because: 'it measures parts that are given to it, whatever they do' },
  outgoing: { may: [], because: 'it makes requests to other servers, for any part' },
  seed: {
    may: ['accounts', 'collect', 'directory', 'live', 'queue', 'sites', 'store'],
    because: 'the demo site is written like any other, and asks nothing',
  },
  stats: { may: ['store', 'batching.ts'], because: 'a question becomes rows, whoever may ask it' },
  directory: { may: [], because: 'it keeps what people set up, and knows nothing of what that means' },
  mail: { may: ['directory'], because: 'it takes a text to an address, whoever wants it sent' },
  webhooks: {
    may: ['directory', 'mail', 'outgoing'],
    because: 'it takes a message to an address, whoever wants it sent; a name is shown as in a mail',
  },
  mentions: {
    may: ['accounts', 'directory', 'outgoing', 'sites'],
    because: 'it asks other services about a site, and knows nothing of its numbers',
  },
  accounts: {
    may: ['directory', 'http', 'mail'],
    because: 'people, their sessions and plans exist before any site does',
  },
  billing: {
    may: ['accounts', 'directory', 'mail'],
    because: 'it asks Stripe about accounts, and knows nothing of who asks',
  },
  sites: { may: ['accounts', 'directory'], because: 'what people set up depends on nothing that is counted' },
  alerts: {
    may: ['accounts', 'directory', 'mail', 'mentions', 'queue', 'seed', 'sites', 'stats', 'webhooks'],
    because: 'it compares what is counted with what people set up, and tells them',
  },
  check: {
    may: ['collect', 'outgoing', 'sites'],
    because: 'it judges a page that anybody may load, and knows nothing of who asks',
  },
  favicons: {
    may: ['collect', 'directory', 'http', 'outgoing'],
    because: 'it fetches a picture of a host, and knows nothing of who looks at it',
  },
  reports: {
    may: ['accounts', 'directory', 'mail', 'preview', 'sites', 'stats', 'webhooks'],
    because: 'it puts the numbers of sites into mails and messages, and knows nothing of who asks for them',
  },
  'search-console': {
    may: ['collect', 'directory', 'mail', 'outgoing', 'sites', 'store'],
    because: 'it brings the numbers of Google into the store, and knows nothing of who looks at them',
  },
  preview: { may: [], because: 'it draws figures, and knows nothing of where they come from' },
  collect: {
    may: ['directory', 'http', 'live', 'queue', 'sites'],
    because: 'a request becomes an event; it knows neither Redis nor ClickHouse',
  },
  api: {
    may: [
      'accounts',
      'alerts',
      'billing',
      'check',
      'collect',
      'directory',
      'favicons',
      'http',
      'live',
      'mail',
      'mentions',
      'outgoing',
      'preview',
      'queue',
      'reports',
      'search-console',
      'sites',
      'stats',
      'store',
      'webhooks',
      'purging.ts',
      'redis',
    ],
    because: 'the doors are thin and stand before everything',
  },
  jobs: {
    may: [
      'accounts',
      'alerts',
      'api',
      'billing',
      'directory',
      'mail',
      'mentions',
      'queue',
      'reports',
      'search-console',
      'sites',
      'stats',
      'webhooks',
      'wiring',
      'account-erasure.ts',
      'purging.ts',
      'site-deletion.ts',
    ],
    because: 'each row of the table calls the part whose work it is, and app.ts alone needs it',
  },
  wiring: {
    may: [
      'accounts',
      'api',
      'billing',
      'check',
      'collect',
      'directory',
      'favicons',
      'http',
      'live',
      'mail',
      'metrics',
      'mentions',
      'outgoing',
      'preview',
      'queue',
      'reports',
      'search-console',
      'sites',
      'stats',
      'store',
      'webhooks',
      'workers',
      'purging.ts',
      'site-deletion.ts',
      'redis',
    ],
    because: 'it opens the parts and hands them to each other, and app.ts alone needs it',
  },
  workers: {
    may: ['collect', 'http', 'sites', 'start-memory.ts', 'unix-socket.ts', 'watchdog.ts'],
    because: 'it brings requests to the process with the stores, and has none itself',
  },
  operator: {
    may: [
      'accounts',
      'api',
      'collect',
      'directory',
      'http',
      'jobs',
      'live',
      'mail',
      'queue',
      'seed',
      'sites',
      'stats',
      'store',
      'app.ts',
      'data-folder.ts',
      'redis',
      'unix-socket.ts',
    ],
    because: 'the command line works through the app or on the directory, and nothing but main.ts needs it',
  },
};

const TYPES_ALONE = /^\{\s*(type \w+,?\s*)+\}$/;
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from |import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, resolve(root, dirname(file), path)),
  );
const sourceFiles = (path: string) =>
  filesBelow(path).filter((file) => /\.(ts|svelte)$/.test(file) && !file.endsWith('.test.ts'));
const partOf = (file: string) => file.split('/')[1] ?? '';

describe('imports point in one direction', () => {
  test.each(Object.keys(DIRECTIONS))('of server/%s', (folder) => {
    const { may, because } = DIRECTIONS[folder] ?? { may: [], because: '' };
    const wrong = sourceFiles(`server/${folder}`).flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('server/'))
        .filter((target) => ![folder, ...may, ...GROUND].includes(partOf(target)))
        .map((target) => `${file} imports ${target}: server/${folder} may not, because ${because}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every folder of server/ has its line in the table', () => {
    const folders = readdirSync(join(root, 'server'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(DIRECTIONS).sort());
  });

  test('event.ts imports nothing of ours', () => {
    expect(importsOf('server/event.ts')).toEqual([]);
  });

  test('the dashboard and the tracker import values from server/vocabulary alone, or their bundles would hold the server', () => {
    const wrong = ['src', 'tracker']
      .flatMap(sourceFiles)
      .flatMap((file) =>
        [...read(file).matchAll(/(?:import|export) (?!type )([^;]*?) from '(\.[^']*server\/[^']*)'/g)]
          .filter(([, names = '', path = '']) => !path.includes('server/vocabulary/') && !TYPES_ALONE.test(names))
          .map(([line]) => `${file}: ${line}`),
      );
    expect(wrong).toEqual([]);
  });

  test('server/vocabulary imports its own files alone: the bundle of the dashboard holds it', () => {
    const wrong = sourceFiles('server/vocabulary').flatMap((file) =>
      [...read(file).matchAll(/(?:from |import\()\s*'([^']+)'/g)]
        .filter(([, path = '']) => !/^\.\/[\w-]+\.ts$/.test(path))
        .map(([line]) => `${file}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test('only config.ts reads the environment', () => {
    const readers = sourceFiles('server').filter((file) => read(file).includes('process.env'));
    expect(readers).toEqual(['server/config.ts']);
  });
});

test('every exported name is imported by another file', () => {
  // SvelteKit reads what its pages and hooks export, and sites read what the package does.
  const isReadFromOutside = (file: string) =>
    /^src\/routes\/.*\+|^src\/hooks\.|^tracker\/(server\/main|module)\.ts$/.test(file);
  const files = [...['server', 'src', 'tracker', 'tests', 'bench'].flatMap(filesBelow), ...readdirSync(root)].filter(
    (file) => /\.(ts|mjs|js|svelte)$/.test(file) && !file.includes('.d.'),
  );
  const keyOf = (path: string, name: string) => `${path.replace(/\.(ts|mjs|js)$/, '')} ${name}`;
  const imported = new Set<string>();
  for (const file of files) {
    const take = (path: string, names: string[]) => {
      const target = path.startsWith('$lib') ? path.replace('$lib', 'src/lib') : join(dirname(file), path);
      for (const name of names) imported.add(keyOf(target, name));
    };
    const text = read(file);
    const lists = /\{([^{}]*)\} (?:from|= await import\()\s*'((?:\.|\$lib)[^']+)'/g;
    for (const [, list = '', path = ''] of text.matchAll(lists))
      take(
        path,
        list.split(',').map((name) => name.trim().replace(/^type | as .*/g, '')),
      );
    for (const [, path = '', name = ''] of text.matchAll(/import\('(\.[^']+)'\)\)?\.(\w+)/g)) take(path, [name]);
    for (const [, path = ''] of text.matchAll(/import \* as \w+ from '(\.[^']+)'/g)) take(path, ['*']);
  }
  const unread = files
    .filter((file) => file.endsWith('ts') && !isReadFromOutside(file))
    .flatMap((file) =>
      exportsOf(file)
        .filter((name) => !['*', name].some((one) => imported.has(keyOf(file, one))))
        .map((name) => `${file}: ${name}`),
    );
  expect(imported.size).toBeGreaterThan(1000);
  expect(unread).toEqual([]);
});

test('no folder or file has a name that says nothing', () => {
  const vague = /(^|\/)(utils?|helpers?|common|shared|services?|misc)(\/|\.|$)/;
  expect(['server', 'src', 'tracker', 'tests', 'bench'].flatMap(filesBelow).filter((file) => vague.test(file))).toEqual(
    [],
  );
});

describe('documents', () => {
  test('every path that a page names exists', () => {
    const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...filesBelow('docs').filter((file) => file.endsWith('.md'))];
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:server|src|tracker|tests|bench|static|docs)\/[\w./[\]()-]*)`/g)].map(
        ([, path = '']) => `${page}: ${path}`,
      ),
    );
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter((one) => !one.includes('NAME') && !exists(one.split(': ')[1] ?? ''))).toEqual([]);
  });

  test('.env.example and docs/configuration.md have every variable, its default and what it does', () => {
    const example = [...read('.env.example').matchAll(/^# (.+)\n#?(\w+)=(.*)$/gm)].map(([, says, name, value]) => ({
      name,
      says,
      value,
    }));
    const schema = Object.entries(environment.shape).map(([name, type]) => ({
      name,
      says: type.description,
      value: defaultOf(name),
    }));
    expect(example).toEqual(schema);
    for (const { name, says } of schema)
      expect(read('docs/configuration.md')).toContain(`| \`${name}\` | ${says?.replaceAll('|', '\\|')} |`);
  });

  test('every script of package.json that people call is in CONTRIBUTING.md', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const called = Object.keys(scripts).filter((name) => !/^(pre|post)/.test(name) || name === 'prettier');
    expect(called.filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(read('CONTRIBUTING.md')))).toEqual([]);
  });
});

describe('pages', () => {
  const pages = [...filesBelow('docs'), ...readdirSync(root), 'tracker/README.md'].filter((file) =>
    file.endsWith('.md'),
  );

  test.each(pages)('each link of %s leads to a file, and to a heading in it', (page) => {
    const headingsOf = (file: string) =>
      [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
    const links = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    const broken = links.filter(([, path = '', anchor = '']) => {
      const file = path === '' ? page : join(dirname(page), path);
      return !exists(file) || (anchor !== '' && !headingsOf(file).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test.each([
    ['README.md', 900],
    ['ARCHITECTURE.md', 1200],
    ['CONTRIBUTING.md', 1000],
  ])('%s has at most %i words', (page, words) => {
    expect(read(page).split(/\s+/).length).toBeLessThanOrEqual(words);
  });

  test('docs/README.md lists every page of docs/', () => {
    const listed = read('docs/README.md');
    const missing = filesBelow('docs').filter((file) => /^docs\/[\w-]+\.md$/.test(file) && file !== 'docs/README.md');
    expect(missing.filter((file) => !listed.includes(`](${file.replace('docs/', '')})`))).toEqual([]);
  });
});

function exists(path: string): boolean {
  try {
    statSync(join(root, path));
    return true;
  } catch {
    return false;
  }
}

/** As the schema reads an empty environment. */
function defaultOf(name: string): string {
  const value = (environment.parse({}) as Record<string, unknown>)[name];
  return value === undefined ? '' : String(value);
}

/** Names that a file exports, without types that only name a part of another export. */
function exportsOf(file: string): string[] {
  const text = read(file);
  const isPart = (name: string) => text.split(new RegExp(`\\b${name}\\b`)).length > 2;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements.map(({ name }) => name.text);
    const kinds = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []).map(({ kind }) => kind) : [];
    if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesOf(name));
    const { name } = statement as ts.DeclarationStatement;
    const isType = ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement);
    return name && !(isType && isPart(name.text)) ? [name.text] : [];
  });
}

const namesOf = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesOf(element.name)));
