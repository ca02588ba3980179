// Runs the benchmarks of the table below, prints each figure with its baseline and its bar, and writes them into docs/bench.md, and some of
// them into the README.
// npm run bench -- [name …]: all of them, or those that are named. A figure that is not measured this time keeps its last value.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { BENCHES, type Figure, REFERENCE } from './figures.ts';
import { runBench } from './run-bench.ts';

/** `slowness`: how many times as long as at `REFERENCE` the machine took then. */
type Measured = { value: number; on: string; slowness?: number };

const root = new URL('..', import.meta.url).pathname;
const file = `${root}docs/bench.md`;
const START = '<!-- figures: written by `npm run bench` -->';
const END = '<!-- end of figures -->';
/** The README has the first figure of these. */
const QUOTED = new Set(['foot', 'dashboard', 'large', 'year', 'watchers', 'page', 'drain', 'kill']);

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}. There are ${BENCHES.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}

const measured = readMeasured();
for (const { name, script, args, like, figures } of BENCHES) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stdout.write(`\n${name}: node ${[script, ...args].join(' ')}\n`);
  const [machine] = await runBench('bench/machine.ts', [like]);
  const slowness = Number(machine?.[like]) / REFERENCE[like];
  const lines = await runBench(script, args);
  for (const figure of figures) {
    const value = figure.read(lines);
    if (value === undefined) throw new Error(`${name} printed no ${figure.work}.`);
    const one = { value, on: new Date().toISOString().slice(0, 10), ...(isTime(figure) && { slowness }) };
    measured.set(figure.work, one);
    process.stdout.write(
      `  ${figure.work}: ${shown(figure, value)} (machine × ${slowness.toFixed(2)}); baseline ${figure.baseline}; bar ${shown(figure, figure.bar)}; ${isReached(figure, one) ? '' : 'not '}reached\n`,
    );
  }
}
writeTable();

function shown({ unit }: Figure, value: number): string {
  return `${value.toLocaleString('en', { maximumFractionDigits: 2 })}${unit === '' || unit === '/s' ? unit : ` ${unit}`}`;
}

/** Sizes, counts and shares are the same on every machine. */
function isTime({ unit }: Figure): boolean {
  return unit === 'ms' || unit === 'µs' || unit === '/s';
}

function isReached({ better, bar }: Figure, { value, slowness = 1 }: Measured): boolean {
  return better === 'more' ? value * slowness >= bar : value / slowness <= bar;
}

/** The figures of the last run, from the comment that it left in the table, without those that are no longer measured. */
function readMeasured(): Map<string, Measured> {
  const [, json = '[]'] = /<!-- measured: (.*) -->/.exec(readFileSync(file, 'utf8')) ?? [];
  const works = new Set(BENCHES.flatMap(({ figures }) => figures.map(({ work }) => work)));
  return new Map((JSON.parse(json) as [string, Measured][]).filter(([work]) => works.has(work)));
}

/** With its date, and how slow the machine was, which docs/bench.md explains. */
function shownLast(figure: Figure, { isPlain = false } = {}): string {
  const last = measured.get(figure.work);
  if (!last) return 'not measured yet';
  const { value, on, slowness } = last;
  const machine = slowness === undefined || isPlain ? '' : `, × ${slowness.toFixed(2)}`;
  return `${shown(figure, value)} (${on}${machine})`;
}

function writeTable(): void {
  const rows = BENCHES.flatMap(({ name, figures }) =>
    figures.map((figure) => {
      const last = measured.get(figure.work);
      const reached = last ? (isReached(figure, last) ? 'yes' : 'no') : '';
      const { work, baseline } = figure;
      return `| ${[work, shownLast(figure), baseline, shown(figure, figure.bar), reached, `\`${name}\``].join(' | ')} |`;
    }),
  );
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  writeBlock(file, [
    `<!-- measured: ${JSON.stringify([...measured])} -->`,
    '',
    `Measured on ${machine}, with the load generator on the same machine.`,
    '',
    '| work | figure | baseline | bar | reached | benchmark |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]);
  const quoted = BENCHES.filter(({ name }) => QUOTED.has(name)).flatMap(({ figures }) => figures.slice(0, 1));
  writeBlock(`${root}README.md`, [
    '',
    '| work | figure |',
    '| --- | --- |',
    ...quoted.map((figure) => `| ${figure.work} | ${shownLast(figure, { isPlain: true })} |`),
  ]);
  process.stdout.write(`\n${rows.join('\n')}\n`);
}

/** Replaces what is between the two comments of a file. */
function writeBlock(path: string, lines: string[]): void {
  const text = readFileSync(path, 'utf8');
  const [before, rest] = [text.slice(0, text.indexOf(START)), text.slice(text.indexOf(END) + END.length)];
  writeFileSync(path, `${before}${[START, ...lines, '', END].join('\n')}${rest}`);
}
