// The operator's commands for goals and funnels.
import { choiceOf } from '../vocabulary/habits/formatters.ts';
import { message, t } from '../vocabulary/habits/messages.ts';
import { z } from 'zod';
import { problemOf } from '../collect/doors/payload.ts';
import { Refusal } from '../errors.ts';
import {
  FUNNEL_ORDERS,
  FUNNEL_SCOPES,
  GOAL_FIELDS,
  GOAL_KINDS,
  type GoalField,
  goalKind,
  type GoalKind,
} from '../vocabulary/questions/goals.ts';
import { type Command, command, domain, Usage, wholeNumber } from './command-line.ts';
import { withSite } from './open-directory.ts';

/** What the help says of the option of a field, and what it calls the value. */
const OPTIONS: Record<GoalField, { says: string; value?: string }> = {
  event: { says: message('Name of the event that reaches the goal') },
  props: { says: message('Value that a property of the event must have; may be repeated'), value: 'KEY=VALUE' },
  page: { says: message('Path such as /thanks, or a pattern such as /docs/**'), value: 'PATTERN' },
  scroll: { says: message('Scroll depth that the page must reach, in per cent'), value: 'N' },
  seconds: { says: message('Seconds that the page must be visible'), value: 'N' },
};

export const goalCommands: Command[] = [
  command('goal create', {
    summary: message('Add a goal to a site: an event, a page view, a scroll depth, or a time on a page'),
    options: z.object({
      site: domain,
      name: z.string().describe(message('Name of the goal')),
      ...Object.fromEntries(Object.entries(GOAL_FIELDS).map(optionOf)),
    }),
    run: ({ site, name, ...reached }, context) =>
      withSite(site, context, async (directory, { id: siteId }) => {
        const { goals, goalDefinition } = await import('../sites/definitions/goals.ts');
        const { toPublicDefinition } = await import('../sites/definitions/definitions.ts');
        const definition = checked(goalDefinition, definitionOf(reached));
        return toPublicDefinition(await goals.create(directory, { siteId, name, definition }, context.now));
      }),
  }),
  command('funnel create', {
    summary: message('Add a funnel to a site'),
    options: z.object({
      site: domain,
      name: z.string().describe(message('Name of the funnel')),
      steps: z
        .string()
        .meta({ value: 'JSON' })
        .describe(
          message('List of { "goal": ID }, { "kind": "event", "event": NAME } or { "kind": "page", "page": PATTERN }'),
        ),
      within: z.enum(FUNNEL_SCOPES).optional().describe(message('Unit that all steps belong to: a visit by default')),
      order: z
        .enum(FUNNEL_ORDERS)
        .optional()
        .describe(message('Order of the steps; by default anything may come in between')),
    }),
    run: ({ site, name, steps, ...how }, context) =>
      withSite(site, context, async (directory, { id: siteId }) => {
        const { funnelDefinition, funnels } = await import('../sites/definitions/funnels.ts');
        const { toPublicDefinition } = await import('../sites/definitions/definitions.ts');
        const definition = checked(funnelDefinition, { steps: readJson(steps), ...how });
        return toPublicDefinition(await funnels.create(directory, { siteId, name, definition }, context.now));
      }),
  }),
];

/** The properties of an event are one option that is repeated. */
function optionOf([name, row]: [string, (typeof GOAL_FIELDS)[GoalField]]) {
  const { says, value } = OPTIONS[name as GoalField];
  const pair = z.string().regex(/^[^=]+=/s, message('{option} must be written KEY=VALUE.'));
  const plain = row.type === 'number' ? wholeNumber(row.most) : row.type === 'text' ? z.string() : z.array(pair);
  const described = plain.optional().meta({ ...(value !== undefined && { value }) });
  return [row.type === 'pairs' ? 'prop' : name, described.describe(says)] as const;
}

/** The options determine the kind of goal: the first that has all of them. */
function definitionOf({ prop, ...reached }: Record<string, unknown>): unknown {
  const given = Object.entries(reached).filter(([, value]) => value !== undefined);
  const hasField = (kind: GoalKind, name: string) => goalKind(kind).fields.some((field) => field === name);
  const kind = GOAL_KINDS.find((one) => given.every(([name]) => hasField(one, name)));
  if (!kind || given.length === 0) {
    const ways = GOAL_KINDS.map((one) => goalKind(one).command);
    throw new Usage(t('A goal is one of {ways}.', { ways: choiceOf(ways) }));
  }
  if (prop !== undefined && !hasField(kind, 'props')) throw new Usage(t('--prop needs --event.'));
  const pairs = ((prop ?? []) as string[]).map((text) => [
    text.slice(0, text.indexOf('=')),
    text.slice(text.indexOf('=') + 1),
  ]);
  const props = hasField(kind, 'props') && { props: Object.fromEntries(pairs) as unknown };
  return { kind, ...(Object.fromEntries(given) as object), ...props };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Usage(t('--steps must be JSON.'));
  }
}

function checked<T>(schema: z.ZodType<T>, definition: unknown): T {
  const { data, error } = schema.safeParse(definition);
  if (data === undefined) throw new Refusal('bad_request', problemOf(error ?? new z.ZodError([])));
  return data;
}
