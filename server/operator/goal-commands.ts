// The operator's commands for goals and funnels.
import { z } from 'zod';
import { problemOf } from '../collect/doors/payload.ts';
import { Refusal } from '../errors.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES, MAX_GOAL_SECONDS } from '../vocabulary/questions/goals.ts';
import { type Command, command, domain, Usage, wholeNumber } from './command-line.ts';
import { withSite } from './open-directory.ts';

export const goalCommands: Command[] = [
  command('goal create', {
    summary: 'Add a goal to a site: an event, a page view, a scroll depth, or a time on a page',
    options: z.object({
      site: domain,
      name: z.string().describe('Name of the goal'),
      event: z.string().optional().describe('Name of the event that reaches the goal'),
      prop: z
        .array(z.string().regex(/^[^=]+=/s, 'must be written KEY=VALUE'))
        .optional()
        .meta({ value: 'KEY=VALUE' })
        .describe('Value that a property of the event must have; may be repeated'),
      page: z
        .string()
        .optional()
        .meta({ value: 'PATTERN' })
        .describe('Path such as /thanks, or a pattern such as /docs/**'),
      scroll: wholeNumber(100)
        .optional()
        .meta({ value: 'N' })
        .describe('Scroll depth that the page must reach, in per cent'),
      seconds: wholeNumber(MAX_GOAL_SECONDS)
        .optional()
        .meta({ value: 'N' })
        .describe('Seconds that the page must be visible'),
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
    summary: 'Add a funnel to a site',
    options: z.object({
      site: domain,
      name: z.string().describe('Name of the funnel'),
      steps: z
        .string()
        .meta({ value: 'JSON' })
        .describe('List of { "goal": ID }, { "kind": "event", "event": NAME } or { "kind": "page", "page": PATTERN }'),
      within: z.enum(FUNNEL_SCOPES).optional().describe('Unit that all steps belong to: a visit by default'),
      order: z.enum(FUNNEL_ORDERS).optional().describe('Order of the steps; by default anything may come in between'),
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

type Reached = {
  event?: string | undefined;
  prop?: string[] | undefined;
  page?: string | undefined;
  scroll?: number | undefined;
  seconds?: number | undefined;
};

/** The options determine the kind of goal. */
function definitionOf({ event, prop, page, scroll, seconds }: Reached): unknown {
  const ways = [event, scroll, seconds, ...(scroll === undefined && seconds === undefined ? [page] : [])];
  if (ways.filter((given) => given !== undefined).length !== 1 || (event !== undefined && page !== undefined))
    throw new Usage('A goal is one of --event E, --page PATTERN, --scroll N --page P, or --seconds N --page P.');
  if (prop && event === undefined) throw new Usage('--prop needs --event.');
  if (event !== undefined) {
    const props = prop?.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
    return { kind: 'event', event, props: Object.fromEntries(props ?? []) as unknown };
  }
  if (scroll !== undefined) return { kind: 'scroll', page, scroll };
  return seconds === undefined ? { kind: 'page', page } : { kind: 'time', page, seconds };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Usage('--steps must be JSON.');
  }
}

function checked<T>(schema: z.ZodType<T>, definition: unknown): T {
  const { data, error } = schema.safeParse(definition);
  if (data === undefined) throw new Refusal('bad_request', problemOf(error ?? new z.ZodError([])));
  return data;
}
