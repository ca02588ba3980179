// Rules and documents about the code, checked against the code: directions of imports, paths, the environment.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { environment } from '../../server/config.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const foldersOf = (path: string) =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name));
const filesBelow = (path: string): string[] =>
  readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** What every room may import. */
const GROUND = ['vocabulary', 'process', 'config.ts', 'errors.ts'];
/**
 * The rooms of server/, from the ground up: what each may import besides its own files and GROUND, and the reason. A room imports only rooms
 * above it in this table, so no two rooms need each other. `process` has three rooms inside that are not for everybody.
 */
const DIRECTIONS: Record<string, { may: string[] | 'all above'; because: string }> = {
  vocabulary: { may: [], because: 'the dashboard uses it too' },
  process: { may: [], because: 'it is what any server needs, whatever it counts' },
  'process/http': { may: [], because: 'it handles requests and answers, whatever they are about' },
  'process/outgoing': { may: [], because: 'it makes requests to other servers, for any room' },
  'process/redis': { may: [], because: 'it speaks to Redis, whatever is kept there' },
  store: { may: [], because: 'it speaks to ClickHouse, and knows nothing of who asks' },
  directory: { may: [], because: 'it keeps what people set up, and knows nothing of what that means' },
  queue: {
    may: ['process/redis', 'store'],
    because: 'it takes events to the store, and knows nothing of where they come from',
  },
  live: { may: ['process/redis', 'store'], because: 'windows are fed, and read back from the store at the start' },
  stats: { may: ['store'], because: 'a question becomes rows, whoever may ask it' },
  messages: {
    may: ['directory', 'process/outgoing'],
    because: 'it takes a text to an address, whoever wants it sent',
  },
  accounts: {
    may: ['directory', 'messages', 'process/http'],
    because: 'people, their sessions and plans exist before any site does',
  },
  sites: {
    may: ['accounts', 'directory', 'process/outgoing'],
    because: 'what people set up depends on nothing that is counted',
  },
  collect: {
    may: ['directory', 'live', 'process/http', 'queue', 'sites'],
    because: 'a request becomes an event; it knows neither Redis nor ClickHouse',
  },
  integrations: {
    may: ['accounts', 'collect', 'directory', 'messages', 'process/http', 'process/outgoing', 'sites', 'store'],
    because: 'it asks other services about a site, and knows nothing of who looks at the answers',
  },
  notifications: {
    may: ['accounts', 'directory', 'integrations', 'messages', 'queue', 'sites', 'stats'],
    because: 'it tells people about their numbers, and knows nothing of who asks for them',
  },
  jobs: { may: 'all above', because: 'background work calls the room whose work it is' },
  api: { may: 'all above', because: 'the doors are thin, and stand before everything' },
  operator: { may: 'all above', because: 'the command line works through the app, and only main.ts needs it' },
};
/** The rooms of the table above one of its rows. The operator also uses app.ts. */
const above = (room: string) => {
  const rooms = Object.keys(DIRECTIONS);
  return [...rooms.slice(0, rooms.indexOf(room)), ...(room === 'operator' ? ['app.ts'] : [])];
};

const TYPES_ALONE = /^\{\s*(type \w+,?\s*)+\}$/;
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from |import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, resolve(root, dirname(file), path)),
  );
const sourceFiles = (path: string) =>
  filesBelow(path).filter((file) => /\.(ts|svelte)$/.test(file) && !file.endsWith('.test.ts'));
/** The room of the table that a file is in, or the name of a loose file of server/. */
const roomOf = (file: string) => {
  const [, room = '', inner = ''] = file.split('/');
  return `${room}/${inner}` in DIRECTIONS ? `${room}/${inner}` : room;
};

describe('imports point in one direction', () => {
  test.each(Object.entries(DIRECTIONS))('of server/%s', (room, { may, because }) => {
    const allowed = [room, ...(may === 'all above' ? above(room) : may), ...GROUND];
    const wrong = sourceFiles(`server/${room}`)
      .filter((file) => roomOf(file) === room)
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => target.startsWith('server/') && !allowed.includes(roomOf(target)))
          .map((target) => `${file} imports ${target}: server/${room} may not, because ${because}`),
      );
    expect(wrong).toEqual([]);
  });

  test('each room of the table may import only rooms above it', () => {
    const wrong = Object.entries(DIRECTIONS).filter(
      ([room, { may }]) => may !== 'all above' && may.some((other) => !above(room).includes(other)),
    );
    expect(wrong).toEqual([]);
  });

  test('the table names no room that is not imported', () => {
    const unused = Object.entries(DIRECTIONS).flatMap(([room, { may }]) => {
      if (may === 'all above') return [];
      const files = sourceFiles(`server/${room}`).filter((file) => roomOf(file) === room);
      const used = new Set(files.flatMap(importsOf).map(roomOf));
      return may.filter((other) => !used.has(other)).map((other) => `server/${room} does not import ${other}`);
    });
    expect(unused).toEqual([]);
  });

  test('every folder of server/ has its line in the table', () => {
    const rooms = foldersOf('server').map((folder) => folder.replace('server/', ''));
    expect(rooms.sort()).toEqual(
      Object.keys(DIRECTIONS)
        .filter((room) => !room.includes('/'))
        .sort(),
    );
  });

  test('event.ts and errors.ts import nothing of ours, and config.ts only words', () => {
    const files = ['server/vocabulary/event.ts', 'server/errors.ts', 'server/config.ts'];
    expect(files.flatMap(importsOf).filter((target) => roomOf(target) !== 'vocabulary')).toEqual([]);
    expect(importsOf('server/vocabulary/event.ts')).toEqual([]);
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

  /** Packages that run in browsers too. */
  const PACKAGES = ['fzstd', 'papaparse', '@zip.js/zip.js/lib/zip-core-custom.js'];

  test('server/vocabulary imports its own files alone, and three packages: the bundle of the dashboard holds it', () => {
    const wrong = sourceFiles('server/vocabulary').flatMap((file) =>
      [...read(file).matchAll(/(?:from |import\()\s*'([^']+)'/g)]
        .filter(([, path = '']) => !(file.startsWith('server/vocabulary/imports/') && PACKAGES.includes(path)))
        .filter(
          ([, path = '']) => !/^\.{1,2}\/.*\.ts$/.test(path) || roomOf(join(dirname(file), path)) !== 'vocabulary',
        )
        .map(([line]) => `${file}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  test('only config.ts reads the environment', () => {
    const readers = sourceFiles('server').filter((file) => read(file).includes('process.env'));
    expect(readers).toEqual(['server/config.ts']);
  });
});

describe('what fits one glance', () => {
  const MOST_ENTRIES = 25;
  /** Folders of one kind of file, which nobody reads from top to bottom. */
  const OF_ONE_KIND = /\/(lists|migrations|schema|regions|committed)$/;
  const withAllBelow = (path: string): string[] => [path, ...foldersOf(path).flatMap(withAllBelow)];

  test('server/ has at most 16 rooms, and four files', () => {
    const entries = readdirSync(join(root, 'server'));
    expect(entries.filter((entry) => entry.includes('.')).sort()).toEqual([
      'app.ts',
      'config.ts',
      'errors.ts',
      'main.ts',
    ]);
    expect(foldersOf('server').length).toBeLessThanOrEqual(16);
  });

  test('the rooms of tests/ have the names of those of server/, but for six', () => {
    const others = ['browser', 'mutants', 'project', 'screenshots', 'security', 'setup'];
    const rooms = foldersOf('tests').map((folder) => folder.replace('tests/', ''));
    expect(rooms.filter((room) => !(room in DIRECTIONS)).sort()).toEqual(others);
  });

  test('a folder has at most 25 entries', () => {
    const larger = ['server', 'src', 'tests']
      .flatMap(withAllBelow)
      .filter((folder) => readdirSync(join(root, folder)).length > MOST_ENTRIES && !OF_ONE_KIND.test(folder));
    expect(larger).toEqual([]);
  });
});

describe('functions', () => {
  const MOST_LINES = 80;
  const FEWEST_ROWS = 5;
  /** Tables are read row by row: an array of at least five rows, or an object that is declared as a record of at least five. */
  const isTable = (node: ts.Node) => {
    if (ts.isArrayLiteralExpression(node))
      return (
        node.elements.length >= FEWEST_ROWS &&
        node.elements.every((row) => ts.isObjectLiteralExpression(row) || ts.isArrayLiteralExpression(row))
      );
    return (
      ts.isObjectLiteralExpression(node) &&
      node.properties.length >= FEWEST_ROWS &&
      ts.isVariableDeclaration(node.parent) &&
      /^Record\b/.test(node.parent.type?.getText() ?? '')
    );
  };
  const linesOf = (node: ts.Node) => node.getText().split('\n').length;
  const linesOfTables = (node: ts.Node): number => {
    let lines = 0;
    ts.forEachChild(node, (child) => void (lines += isTable(child) ? linesOf(child) - 1 : linesOfTables(child)));
    return lines;
  };
  const functionsIn = (node: ts.Node): ts.Node[] => {
    const inside: ts.Node[] = [];
    ts.forEachChild(node, (child) => void inside.push(...functionsIn(child)));
    return ts.isFunctionLike(node) && 'body' in node && node.body ? [node, ...inside] : inside;
  };
  const scriptsOf = (file: string) =>
    file.endsWith('.svelte')
      ? [...read(file).matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
      : [read(file)];

  test('have at most 80 lines, tables apart', () => {
    const functions = ['server', 'src', 'tracker'].flatMap(sourceFiles).flatMap((file) =>
      scriptsOf(file)
        .map((script) => ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true))
        .flatMap(functionsIn)
        .map((node) => ({
          lines: linesOf(node) - linesOfTables(node),
          begins: `${file}: ${node.getText().split('\n')[0]}`,
        })),
    );
    expect(functions.length).toBeGreaterThan(5000);
    expect(functions.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
  });
});

test('every exported name is imported by another file', () => {
  // SvelteKit reads what its pages and hooks export, and sites read what the package does.
  const isReadFromOutside = (file: string) =>
    /^src\/routes\/.*\+|^src\/hooks\.|^tracker\/(server\/main|module|api\/client|frameworks\/\w+)\.ts$/.test(file);
  const files = [
    ...['server', 'src', 'tracker', 'tests', 'bench', 'languages', 'plugins'].flatMap(filesBelow),
    ...readdirSync(root),
  ].filter((file) => /\.(ts|mjs|js|svelte)$/.test(file));
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
    .filter((file) => file.endsWith('ts') && !file.includes('.d.') && !isReadFromOutside(file))
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
  const pages = [...filesBelow('docs'), ...readdirSync(root), 'tracker/README.md', 'deploy/README.md'].filter((file) =>
    file.endsWith('.md'),
  );
  /** What somebody reads from top to bottom in ten minutes. */
  const MOST_WORDS = 1500;
  const SHORTER: Record<string, number> = { 'README.md': 900, 'ARCHITECTURE.md': 1200, 'CONTRIBUTING.md': 1000 };
  /** Pages that are data, in which one line is looked up. */
  const LOOKED_UP = [
    'CHANGELOG.md', // a list of releases, each of which has the bound
    'THIRD-PARTY-NOTICES.md', // written by `npm run notices`
    'docs/asvs.md', // a table of 76 lines of a standard
  ];

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

  const wordsOf = (text: string) => text.split(/\s+/).length;

  test.each(pages.filter((page) => !LOOKED_UP.includes(page)))('%s is read in ten minutes', (page) => {
    expect(wordsOf(read(page))).toBeLessThanOrEqual(SHORTER[page] ?? MOST_WORDS);
  });

  test('no release takes more than ten minutes to read in CHANGELOG.md', () => {
    const releases = read('CHANGELOG.md').split(/^## /m).slice(1);
    expect(
      releases.filter((release) => wordsOf(release) > MOST_WORDS).map((release) => release.split('\n')[0]),
    ).toEqual([]);
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

/** Names that a file exports. */
function exportsOf(file: string): string[] {
  const text = read(file);
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause))
      return statement.exportClause.elements.map(({ name }) => name.text);
    const kinds = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []).map(({ kind }) => kind) : [];
    if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesOf(name));
    const { name } = statement as ts.DeclarationStatement;
    return name ? [name.text] : [];
  });
}

const namesOf = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesOf(element.name)));
