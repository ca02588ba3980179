// Names in the tables of metrics and dimensions. Some rows need a parameter in their name: `prop:plan` is the row `prop` with `plan`.

export type Parameter = {
  /** The placeholder for the parameter in texts: `prop:KEY`. */
  word: string;
  /** A regular expression with the flags s and u. */
  pattern: string;
};
type Table = Readonly<Record<string, { readonly label: string; readonly parameter?: Parameter }>>;

/** The names that a request may use: plain for rows without a parameter, `name:parameter` for the others. */
export type NameOf<Rows> = {
  [Name in keyof Rows & string]: Rows[Name] extends { parameter: Parameter } ? `${Name}:${string}` : Name;
}[keyof Rows & string];
type PlainNameOf<Rows> = Extract<NameOf<Rows>, keyof Rows>;

type ReadName<Rows> = { row: keyof Rows & string; parameter?: string };

/** Returns undefined if the table does not have the name, or if a parameter is missing, wrong or not allowed. */
export function readName<Rows extends Table>(rows: Rows, text: string): ReadName<Rows> | undefined {
  const [row = ''] = text.split(':', 1);
  if (!Object.hasOwn(rows, row)) return undefined;
  const wanted = rows[row]?.parameter;
  if (row === text) return wanted ? undefined : { row };
  const parameter = text.slice(row.length + 1);
  return wanted && new RegExp(`^(?:${wanted.pattern})$`, 'su').test(parameter) ? { row, parameter } : undefined;
}

/** Reads a name that has been checked before. */
export function readKnownName<Rows extends Table>(rows: Rows, text: NameOf<Rows>): ReadName<Rows> {
  const [row = ''] = text.split(':', 1);
  if (!Object.hasOwn(rows, row)) throw new TypeError(`There is no ${text}.`);
  return row === text ? { row } : { row, parameter: text.slice(row.length + 1) };
}

export function plainNames<Rows extends Table>(rows: Rows): PlainNameOf<Rows>[] {
  return Object.keys(rows).filter((name) => !rows[name]?.parameter) as PlainNameOf<Rows>[];
}

/** The names of rows with a parameter as regular expressions, with the flags s and u: `prop:.{1,64}`. */
export function patternsOf(rows: Table): string[] {
  return Object.entries(rows).flatMap(([name, { parameter }]) => (parameter ? `${name}:${parameter.pattern}` : []));
}

/** Lists the allowed names for messages: `page, event, or prop:KEY`. */
export function listNames(rows: Table): string {
  const withParameter = Object.entries(rows).flatMap(([name, { parameter }]) =>
    parameter ? `or ${name}:${parameter.word}` : [],
  );
  return [...plainNames(rows), ...withParameter].join(', ');
}
