// Defines and parses the operator's commands. Each is a row with a schema for its options, from which --help is generated.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { SecurityEvents } from '../process/security-log.ts';

export type Context = {
  config: Config;
  now: number;
  /** Prints progress and remarks to stderr. */
  say(text: string): void;
};

/** The ids that a command touched, for the security log. */
export type Touched = Omit<SecurityEvents['command'], 'command' | 'outcome'>;
export type Running = Context & { touched: Touched };

export type Command = {
  name: string;
  summary: string;
  /** Names of options that are given by position. All others are written `--name VALUE`. */
  positionals: string[];
  options: z.ZodObject;
  /** Commands that only read are not written to the security log. */
  onlyReads: boolean;
  /** The result is printed as one line of JSON, unless it is a Text. */
  run(options: unknown, context: Running): Promise<unknown>;
};

/** Creates a row. The type of `run`'s options comes from their schema. Rows import what they need only when they run. */
export function command<Options extends z.ZodObject>(
  name: string,
  row: {
    summary: string;
    positionals?: (keyof Options['shape'] & string)[];
    options: Options;
    onlyReads?: true;
    run(options: z.output<Options>, context: Running): Promise<unknown>;
  },
): Command {
  return {
    name,
    positionals: [],
    onlyReads: false,
    ...row,
    run: (options, context) => row.run(row.options.parse(options), context),
  };
}

export const domain = z.string().meta({ value: 'DOMAIN' }).describe('Domain of the site, such as example.com');
export const account = z.string().meta({ value: 'EMAIL' }).describe('E-mail address of the account’s owner');
/** Arguments end up in the shell's history and in the process list, which all users can read. */
export const passwordStdin = z.boolean().optional().describe('Read the password from a line of standard input instead');

export const wholeNumber = (max: number) =>
  z.coerce.number('must be a whole number').int('must be a whole number').min(1).max(max, `must be at most ${max}`);

export const instant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date such as 2026-12-31 or 2026-12-31T12:00:00Z')
  .transform((text) => Date.parse(text));

export class Usage extends Error {}

/** A result for people, printed as it is. */
export class Text {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Checks the arguments, and reads the password from standard input if asked to. Throws a Usage. */
export async function readOptions(row: Command, args: string[]): Promise<unknown> {
  const given = checkOptions(row, args);
  if (!given['password-stdin']) return given;
  for await (const line of createInterface(process.stdin)) return { ...given, password: line };
  throw new Usage('--password-stdin: standard input is empty. It must hold the password on one line.');
}

function checkOptions(row: Command, args: string[]): Record<string, unknown> {
  const named = Object.keys(row.options.shape).filter((name) => !row.positionals.includes(name));
  const options = Object.fromEntries(
    named.map((name) => [
      name,
      {
        type: isFlag(row.options.shape[name]) ? ('boolean' as const) : ('string' as const),
        multiple: isList(row.options.shape[name]),
      },
    ]),
  );
  let given: Record<string, unknown>;
  try {
    const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true });
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const repeated = names.find((name, at) => names.indexOf(name) < at && options[name]?.multiple === false);
    if (repeated !== undefined) throw new Usage(`--${repeated} is given twice: give it only once.`);
    given = { ...values, ...byPosition(row, positionals) };
  } catch (error) {
    throw error instanceof TypeError ? new Usage(`${error.message.split('. ', 1)[0]?.replace(/\.$/, '')}.`) : error;
  }
  const takesStdin = given['password-stdin'] === true;
  if (takesStdin && given['password'] !== undefined)
    throw new Usage('--password and --password-stdin cannot be combined.');
  const parsed = row.options.safeParse(takesStdin ? { ...given, password: '' } : given);
  if (parsed.success) return given;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const label = row.positionals.includes(name) ? name.toUpperCase() : `--${name}`;
  throw new Usage(`${label} ${given[name] === undefined ? 'is missing' : reasonOf(issue)}.`);
}

/** The last one takes the rest if it is a list. */
function byPosition({ positionals, options }: Command, given: string[]): Record<string, unknown> {
  const last = positionals.length - 1;
  const takesRest = last >= 0 && isList(options.shape[positionals[last] ?? '']);
  const extra = takesRest ? undefined : given[positionals.length];
  if (extra !== undefined) throw new Usage(`"${extra}" is one argument too many: write options as --name VALUE.`);
  return Object.fromEntries(
    positionals.flatMap((name, n): [string, unknown][] => {
      if (given[n] === undefined) return [];
      return [[name, takesRest && n === last ? given.slice(n) : given[n]]];
    }),
  );
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  return issue?.message ?? 'is malformed';
}

export function overview(commands: Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: npm run manage -- COMMAND [OPTIONS]',
    '',
    ...rows,
    '',
    'COMMAND --help lists the options of a command.',
  ].join('\n');
}

export function helpOf(row: Command): string {
  const rows = Object.entries(row.options.shape).map(([name, schema]): [string, string] => {
    const type = schema as z.ZodType;
    const option = isFlag(type) ? `--${name}` : `--${name} ${valueOf(type)}`;
    const label = row.positionals.includes(name) ? `${name.toUpperCase()}${isList(type) ? '…' : ''}` : option;
    return [type.isOptional() ? `[${label}]` : label, type.description ?? ''];
  });
  const usage = `Usage: npm run manage -- ${[row.name, ...rows.map(([label]) => label)].join(' ')}`;
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [usage, '', row.summary, ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`)].join('\n');
}

/** True if an option is a switch without a value. */
function isFlag(type: unknown): boolean {
  return type instanceof z.ZodOptional && type.unwrap() instanceof z.ZodBoolean;
}

/** True if an option may be repeated, or if an argument takes all that follow. */
function isList(type: unknown): boolean {
  return (type instanceof z.ZodOptional ? type.unwrap() : type) instanceof z.ZodArray;
}

function valueOf(type: z.ZodType): string {
  const inner = type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;
  if (inner instanceof z.ZodEnum) return inner.options.join('|');
  return String(type.meta()?.value ?? 'TEXT');
}
