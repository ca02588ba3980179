// Vitest reporter: counts which members of the sets in `harness.ts` the run has shown, and prints `refused n / n`, `promises kept: n / n`
// and `faults survived: n / n`. A long run prints only its own kind, since many files show several, and a member of its set without a test
// is a failure.
import type { Reporter, TestModule } from 'vitest/node';
import { ATTACKS, FAULTS, PROMISES, type Shown } from './harness.ts';

type Count = { held: number; tried: number };

export default class HarnessLines implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, Count>();
    const kinds = new Set<Shown['kind']>();
    for (const module of modules)
      for (const test of module.children.allTests())
        for (const { kind, of, cases } of test.meta().shown ?? []) {
          kinds.add(kind);
          const count = counts.get(of) ?? { held: 0, tried: 0 };
          count.tried += cases;
          if (test.result().state === 'passed') count.held += cases;
          counts.set(of, count);
        }
    const long = process.env['HARNESS'];
    const isLong = Boolean(long);
    const prints = (kind: Shown['kind']) => (long ? kind === long : kinds.has(kind));
    if (prints('attack')) printAttacks(counts, isLong);
    if (prints('promise')) printKept(counts, { members: PROMISES, title: 'promises kept', isLong });
    if (prints('fault')) printKept(counts, { members: FAULTS, title: 'faults survived', isLong });
  }
}

function printAttacks(counts: Map<string, Count>, isLong: boolean): void {
  const sum: Count = { held: 0, tried: 0 };
  for (const attack of ATTACKS) {
    const { held, tried } = counts.get(attack) ?? { held: 0, tried: 0 };
    sum.held += held;
    sum.tried += tried;
    if (isLong) console.log(`${attack}: ${held} / ${tried}`);
    if (isLong && tried === 0) fail(attack);
  }
  console.log(`refused ${sum.held} / ${sum.tried}`);
}

type Kept = { members: readonly string[]; title: string; isLong: boolean };

function printKept(counts: Map<string, Count>, { members, title, isLong }: Kept): void {
  let kept = 0;
  for (const [index, member] of members.entries()) {
    const { held, tried } = counts.get(member) ?? { held: 0, tried: 0 };
    const isKept = tried > 0 && held === tried;
    if (isKept) kept += 1;
    if (isLong) console.log(`${isKept ? 'yes' : 'NO '} ${index + 1}. ${member}`);
    if (isLong && tried === 0) fail(member);
  }
  console.log(`${title}: ${kept} / ${members.length}`);
}

function fail(member: string): void {
  console.log(`no test shows: ${member}`);
  process.exitCode = 1;
}
