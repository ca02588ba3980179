// Vitest reporter: ends the run with the one line `N passed, N failed`, which tools read. A broken file or hook counts as a failure.
import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node';

export default class ClosingLine implements Reporter {
  private line: string | undefined;

  onInit(): void {
    // Printed at the exit, since others may still print after the run, and also when the set-up failed.
    process.once('exit', () => writeSync(1, `${this.line ?? '0 passed, 1 failed'}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandled.length };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed += 1;
        if (state === 'failed') counts.failed += 1;
      }
      counts.failed += [module, ...module.children.allSuites()].filter(hasBroken).length;
    }
    if (modules.length === 0 && counts.failed === 0) counts.failed = 1; // nothing ran: never a success
    this.line = `${counts.passed} passed, ${counts.failed} failed`;
  }
}

function hasBroken(part: TestModule | TestSuite): boolean {
  return part.errors().length > 0;
}
