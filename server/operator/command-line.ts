// Defines and parses the operator's commands. Each is a row with a schema for its options, from which --help is generated.
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Unavailable } from '../errors.ts';
import type { SecurityEvents } from '../process/security-log.ts';
import { message, say, t, texts, tn } from '../vocabulary/habits/messages.ts';
import { fullNumber } from '../vocabulary/numbers/format.ts';

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
  /** A message, as are the descriptions of the options. */
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

export const domain = z.string().meta({ value: 'DOMAIN' }).describe(message('Domain of the site, such as example.com'));
export const account = z.string().meta({ value: 'EMAIL' }).describe(message('E-mail address of the account’s owner'));
/** Arguments end up in the shell's history and in the process list, which all users can read. */
export const passwordStdin = z
  .boolean()
  .optional()
  .describe(message('Read the password from a line of standard input instead'));

const WHOLE = message('{option} must be a whole number.');
export const wholeNumber = (max: number) =>
  z.coerce
    .number({ error: ({ code }) => (code === 'invalid_type' ? WHOLE : undefined) })
    .int()
    .min(1)
    .max(max);

export const instant = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true })],
    message('{option} must be a date such as 2026-12-31 or 2026-12-31T12:00:00Z.'),
  )
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
  throw new Usage(t('--password-stdin: standard input is empty. It must hold the password on one line.'));
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
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false, // otherwise Node throws sentences in English
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!known) throw new Usage(t("Unknown option '{option}'.", { option: token.rawName }));
    checkValue(token, known.type);
    if (seen.has(token.name) && !known.multiple)
      throw new Usage(t('{option} is given twice: give it only once.', { option: token.rawName }));
    seen.add(token.name);
  }
  const given: Record<string, unknown> = { ...values, ...byPosition(row, positionals) };
  const takesStdin = given['password-stdin'] === true;
  if (takesStdin && given['password'] !== undefined)
    throw new Usage(t('--password and --password-stdin cannot be combined.'));
  const parsed = row.options.safeParse(takesStdin ? { ...given, password: '' } : given);
  if (parsed.success) return given;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const option = row.positionals.includes(name) ? name.toUpperCase() : `--${name}`;
  throw new Usage(given[name] === undefined ? t('{option} is missing.', { option }) : problemOf(issue, option));
}

function checkValue(
  { rawName: option, value, inlineValue }: { rawName: string; value?: string | undefined; inlineValue?: boolean },
  type: 'boolean' | 'string',
): void {
  if (type === 'boolean') {
    if (value !== undefined) throw new Usage(t('{option} takes no value.', { option }));
  } else if (value === undefined) throw new Usage(t('{option} needs a value.', { option }));
  else if (!inlineValue && /^-./.test(value))
    throw new Usage(t('{option} needs a value: one that begins with a dash is written {option}=VALUE.', { option }));
}

/** The last one takes the rest if it is a list. */
function byPosition({ positionals, options }: Command, given: string[]): Record<string, unknown> {
  const last = positionals.length - 1;
  const takesRest = last >= 0 && isList(options.shape[positionals[last] ?? '']);
  const extra = takesRest ? undefined : given[positionals.length];
  if (extra !== undefined)
    throw new Usage(t('"{extra}" is one argument too many: write options as --name VALUE.', { extra }));
  return Object.fromEntries(
    positionals.flatMap((name, n): [string, unknown][] => {
      if (given[n] === undefined) return [];
      return [[name, takesRest && n === last ? given.slice(n) : given[n]]];
    }),
  );
}

/** A schema may have a message of its own, with a place for the name of the option. */
function problemOf(issue: z.core.$ZodIssue | undefined, option: string): string {
  if (issue?.message.startsWith('{option}')) return say(issue.message, { option });
  if (issue?.code === 'invalid_value')
    return t('{option} must be one of {values}.', { option, values: issue.values.join(', ') });
  if (issue?.code === 'too_small')
    return t('{option} must be at least {least}.', { option, least: fullNumber(Number(issue.minimum)) });
  if (issue?.code !== 'too_big') return t('{option} is malformed.', { option });
  const most = Number(issue.maximum);
  return issue.origin === 'array'
    ? tn(most, '{option} may be given at most {n} time.', '{option} may be given at most {n} times.', { option })
    : t('{option} must be at most {most}.', { option, most: fullNumber(most) });
}

/** A store that does not answer, as a sentence. */
export const silenceOf = ({ store }: Unavailable): string => SILENT[store];
const SILENT: Record<Unavailable['store'], string> = texts({
  events: 'The events store does not answer.',
  directory: 'The directory store does not answer.',
  queue: 'The queue store does not answer.',
  live: 'The live store does not answer.',
});

export function overview(commands: Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${say(summary)}`);
  return [
    t('Usage: {command}', { command: 'npm run manage -- COMMAND [OPTIONS]' }),
    '',
    ...rows,
    '',
    t('COMMAND --help lists the options of a command.'),
  ].join('\n');
}

export function helpOf(row: Command): string {
  const rows = Object.entries(row.options.shape).map(([name, schema]): [string, string] => {
    const type = schema as z.ZodType;
    const option = isFlag(type) ? `--${name}` : `--${name} ${valueOf(type)}`;
    const label = row.positionals.includes(name) ? `${name.toUpperCase()}${isList(type) ? '…' : ''}` : option;
    return [type.isOptional() ? `[${label}]` : label, purposeOf(type)];
  });
  const command = `npm run manage -- ${[row.name, ...rows.map(([label]) => label)].join(' ')}`;
  const usage = t('Usage: {command}', { command });
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  return [usage, '', say(row.summary), ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`)].join('\n');
}

/** `places`: the values of the places in a description. */
const purposeOf = (type: z.ZodType): string =>
  say(type.description ?? '', type.meta()?.['places'] as Parameters<typeof say>[1]);

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
