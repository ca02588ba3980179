// Unit tests next to the code, tests that cross folders, and tests that drive Chromium.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

if (Number.parseInt(process.versions.node) < 24) {
  console.error('Tests need the Node that comes with the project: run `npm test -- FILE`.');
  process.exit(1);
}

/** These import another file, so that its tests run once more: it must not have been imported before. */
const AGAIN = 'tests/**/*-workers.test.ts';

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
    isolate: false, // a worker keeps its modules: to load the server takes a second of CPU, and as a process for each file the tests took twice as much
    execArgv: ['--max-semi-space-size=32'], // as in package.json: tests leave much behind
    setupFiles: ['tests/setup/run/passwords.ts'],
    maxWorkers: availableParallelism() + 1, // tests wait for servers and browsers: with one a core, a third of the CPU is idle; with two more, they cost more of it
    retry: 1, // real servers and a real browser on a busy machine; a test that needs it is printed as retried
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['server/**/*.test.ts', 'src/**/*.test.ts', 'tracker/**/*.test.ts'],
        },
      },
      { extends: true, test: { name: 'whole', include: ['tests/**/*.test.ts'], exclude: ['tests/browser/**', AGAIN] } },
      { extends: true, test: { name: 'again', include: [AGAIN], isolate: true } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          setupFiles: ['tests/setup/run/browsers.ts'], // beside that of all
        },
      },
    ],
  },
});
