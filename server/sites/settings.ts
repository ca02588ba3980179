// The settings of a site that are kept as one JSON text, one row each: they need no column of the directory. What the dashboard may send, how it
// is stored and what is shown follow from the rows.
import { z } from 'zod';
import { arrangement, arrangementIn } from './arrangements.ts';
import { leftOutRules, rulesIn, withRules } from './left-out.ts';
import { pathRules, pathRulesOf } from './paths.ts';
import { limitsMembers } from './sharing/member-limits.ts';
import { transparency, transparencyIn } from './sharing/transparency.ts';

type Settings = Readonly<Record<string, unknown>>;

/** `read`: of settings, which may lack it. `put`: if more is stored than its value. */
const row = <Schema extends z.ZodType>(
  schema: Schema,
  read: (settings: Settings) => z.output<Schema>,
  put?: (settings: Settings, value: z.output<Schema>) => Settings,
) => ({ schema: schema.optional(), read, put });

const ROWS = {
  path_rules: row(pathRules, pathRulesOf),
  left_out: row(leftOutRules, rulesIn, withRules),
  limits_members: row(z.boolean(), limitsMembers),
  transparency: row(transparency, transparencyIn),
  vitals: row(z.boolean(), measuresVitals),
  errors: row(z.boolean(), recordsErrors),
  arrangement: row(arrangement, (settings) => arrangementIn(settings['arrangement'])),
};

type Name = keyof typeof ROWS;
const NAMES = Object.keys(ROWS) as Name[];
type Values = { [Of in Name]: ReturnType<(typeof ROWS)[Of]['read']> };

/** Whether the site measures how fast its pages are. */
export function measuresVitals(settings: Settings): boolean {
  return settings['vitals'] === true;
}

/** Whether the site records the errors of its pages. */
export function recordsErrors(settings: Settings): boolean {
  return settings['errors'] === true;
}

/** The fields of a request that changes settings. */
export const settingFields = Object.fromEntries(NAMES.map((name) => [name, ROWS[name].schema])) as {
  [Of in Name]: (typeof ROWS)[Of]['schema'];
};

export const settingsIn = (settings: Settings): Values =>
  Object.fromEntries(NAMES.map((name) => [name, ROWS[name].read(settings)])) as Values;

/** The settings after a request; undefined if it changes none of them. */
export function changedSettings(
  settings: Settings,
  changes: { [Of in Name]?: Values[Of] | undefined },
): Settings | undefined {
  const changed = NAMES.filter((name) => changes[name] !== undefined);
  if (changed.length === 0) return undefined;
  return changed.reduce((before, name) => {
    const { put } = ROWS[name] as { put?: (settings: Settings, value: unknown) => Settings };
    return put ? put(before, changes[name]) : { ...before, [name]: changes[name] };
  }, settings);
}
