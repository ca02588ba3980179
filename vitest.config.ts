// Unit tests next to the code, tests that cross folders, and tests that drive Chromium.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

if (Number.parseInt(process.versions.node) < 24) {
  console.error('Tests need the Node that comes with the project: run `npm test -- FILE`.');
  process.exit(1);
}

/**
 * Files that share a process: to load the server anew for each takes a second of CPU. Those that import another file, so that its tests run once more, are
 * not among them, nor is one that adds a column to events.
 */
const SHARING =
  'tests/{accounts,api,collect,directory,integrations,jobs,live,messages,notifications,queue,security,sites,stats,store}/**/!(*-workers|columns).test.ts';

export default defineConfig({
  test: {
    globalSetup: ['tests/setup/run/global.ts'],
    reporters: ['default', './tests/setup/run/harness-reporter.ts', './tests/setup/run/totals-reporter.ts'],
    tags: [
      { name: 'attack', description: 'Attacks that must be refused: `npm run attacks`.' },
      { name: 'promise', description: 'Promises about privacy: `npm run privacy`.' },
      { name: 'fault', description: 'Faults that must be survived: `npm run faults`.' },
      { name: 'long', description: 'Tests with a long form: `npm run test:long`.' },
    ],
    testTimeout: 300_000, // only for hangs: far above what any test takes, even on a busy machine
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } }, // as long as Playwright waits; the default is one second
    pool: 'forks',
    execArgv: ['--max-semi-space-size=32'], // as in package.json: tests leave much behind
    setupFiles: ['tests/setup/run/passwords.ts'],
    maxWorkers: availableParallelism() + 1, // tests wait for servers and browsers: with one a core, a third of the CPU is idle; with two more, they cost more of it
    retry: 1, // real servers and a real browser on a busy machine; a test that needs it is printed as retried
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{server,src,tracker,languages}/**/*.test.ts'],
          isolate: false, // a process for all of them takes three quarters of the CPU that one for each file does
        },
      },
      { extends: true, test: { name: 'sharing', include: [SHARING], isolate: false } },
      // Each file has a process: some measure its memory, some end processes, and some run the tests of another file. Projects start in the order of their
      // names: this one first, as it has the longest files, and unit tests last, so that no worker ends minutes before the others.
      {
        extends: true,
        test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: ['tests/browser/**', SHARING] },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          isolate: false, // as with SHARING
          setupFiles: ['tests/setup/run/browsers.ts'], // beside that of all
        },
      },
    ],
  },
});
