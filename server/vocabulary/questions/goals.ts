// Goals and funnels, in the form that the API, the dashboard and the directory share. The kinds of goals are one table: schemas, forms, the
// operator's command and the description of the API follow from it. Which rows reach a goal, as SQL, is in server/stats/sql/goals.ts.
import { t, textsOf } from '../habits/messages.ts';
import { percent } from '../numbers/format.ts';
import { MAX_NAME } from '../limits.ts';
import { MAX_PATTERN_LENGTH } from '../texts/page-patterns.ts';
import type { Dimension } from './dimensions.ts';

export const MAX_FUNNELS = 50;
export const MIN_STEPS = 2;
/** Property conditions of one goal. */
export const MAX_CONDITIONS = 10;
/** One day: no engagement with a page is longer. */
const MAX_SECONDS = 86_400;

type Field = {
  /** In forms. */
  label: string;
  /** What the description of the API says. */
  about?: string;
} & (
  | {
      type: 'text';
      most: number;
      /** What a form says while it is not filled in, and what a filled one begins with. */
      missing: string;
      begins: string;
      hint?: string;
      /** A goal's and a step's example. */
      placeholder?: string;
      example: string;
      /** The dimension whose values forms offer. */
      known: Dimension;
    }
  | {
      /** A whole number from 1. `around`: the words before and after it in a step. */
      type: 'number';
      most: number;
      usual: number;
      around: readonly [string, string];
    }
  | { type: 'pairs' }
);

/** What conditions consist of. */
const FIELDS = textsOf(['label', 'missing', 'hint', 'example', 'around'], {
  event: {
    type: 'text',
    label: 'Event',
    most: MAX_NAME,
    missing: 'Enter the name of an event.',
    begins: '',
    example: 'signup',
    known: 'event',
  },
  props: {
    type: 'pairs',
    label: 'Property',
    about: 'The event must have all of these values.',
  },
  /** A path or a pattern: see texts/page-patterns.ts. */
  page: {
    type: 'text',
    label: 'Page',
    most: MAX_PATTERN_LENGTH,
    missing: 'Enter a page, such as /thanks.',
    begins: '/',
    hint: 'A path, or a pattern: * stands for one part of the path, ** at the end for the rest, as in /docs/**.',
    placeholder: '/thanks',
    example: '/pricing or /docs/**',
    known: 'page',
    about:
      'A path, or a pattern: `*` stands for one segment or a part of it, `**` at the end for the rest of the path.',
  },
  scroll: {
    type: 'number',
    label: 'Scrolled to at least, in per cent',
    most: 100,
    usual: 75,
    around: ['to at least', 'per cent'],
    about: 'Scroll depth in per cent of the page.',
  },
  seconds: {
    type: 'number',
    label: 'Read for at least, in seconds',
    most: MAX_SECONDS,
    usual: 30,
    around: ['for', 'seconds'],
    about: 'Visible time within one page view.',
  },
} as const satisfies Record<string, Field>);
export type GoalField = keyof typeof FIELDS;
export const GOAL_FIELDS: Readonly<Record<GoalField, Field>> = FIELDS;

type ValueOf = { text: string; number: number; pairs: Record<string, string> };
type Values = { [Name in GoalField]: ValueOf[(typeof FIELDS)[Name]['type']] };

type Row<Name extends GoalField = GoalField> = {
  fields: readonly Name[];
  /** The options of the operator's command. */
  command: string;
  /** The condition in a few words, in a sentence's words, and as the name that is proposed for its goal. */
  short(condition: Pick<Values, Name>): string;
  long(condition: Pick<Values, Name>): string;
  name(condition: Pick<Values, Name>): string;
};

const row = <Name extends GoalField>(kind: Omit<Row<Name>, 'name'> & Partial<Pick<Row<Name>, 'name'>>): Row<Name> => ({
  name: kind.long,
  ...kind,
});

const KINDS = {
  /** An event with this name and all of these property values. */
  event: row({
    fields: ['event', 'props'],
    command: '--event E',
    short: ({ event, props }) =>
      [
        event,
        ...Object.entries(props).map(([key, value]) => t('{property} is {value}', { property: key, value })),
      ].join(', '),
    long: ({ event, props }) => {
      const values = Object.entries(props).map(([property, value]) =>
        value ? t('{property} is {value}', { property, value }) : t('{property} is empty', { property }),
      );
      if (values.length === 0) return t('Event {event}', { event });
      const properties = values.reduce((one, other) => t('{one} and {other}', { one, other }));
      return t('Event {event} with {properties}', { event, properties });
    },
    name: ({ event }) => event,
  }),
  /** A view of the page. */
  page: row({
    fields: ['page'],
    command: '--page PATTERN',
    short: ({ page }) => page,
    long: ({ page }) => t('View of {page}', { page }),
  }),
  /** The page was scrolled to at least `scroll` per cent. */
  scroll: row({
    fields: ['page', 'scroll'],
    command: '--scroll N --page P',
    short: ({ page, scroll }) => t('{page} scrolled to {depth}', { page, depth: percent(scroll) }),
    long: ({ page, scroll }) => t('{depth} of {page} seen', { page, depth: percent(scroll) }),
  }),
  /** The page was visible for at least `seconds` within one view. */
  time: row({
    fields: ['page', 'seconds'],
    command: '--seconds N --page P',
    short: ({ page, seconds }) => t('{page} for {seconds} s', { page, seconds }),
    long: ({ page, seconds }) => t('{seconds} s on {page}', { page, seconds }),
  }),
};
export type GoalKind = keyof typeof KINDS;
export const GOAL_KINDS = Object.keys(KINDS) as GoalKind[];

export type GoalDefinition = {
  [Kind in GoalKind]: { kind: Kind } & Pick<Values, (typeof KINDS)[Kind]['fields'][number]>;
}[GoalKind];

/** `The goal is reached when …`, and `the visitor …` of a funnel. */
const WORDS = textsOf(['when', 'step'], {
  event: { when: 'An event is sent', step: 'sends an event' },
  page: { when: 'A page is viewed', step: 'views a page' },
  scroll: { when: 'A page is scrolled', step: 'scrolls a page' },
  time: { when: 'A page is read for some time', step: 'stays on a page' },
} satisfies Record<GoalKind, { when: string; step: string }>);

/** The row of a kind, in the reader's words. It takes the conditions of that kind alone. */
export const goalKind = (kind: GoalKind): Row & { when: string; step: string } => ({
  ...(KINDS[kind] as unknown as Row),
  ...WORDS[kind],
});

/** Describes a condition. */
export const describeCondition = (condition: GoalDefinition, words: 'short' | 'long' | 'name'): string =>
  goalKind(condition.kind)[words](condition as unknown as Values);

/** True if the goal would reveal property values, which a share link may hide. */
export const hasPropertyConditions = (goal: GoalDefinition): boolean =>
  'props' in goal && Object.keys(goal.props).length > 0;

/** A goal of the site, or a condition of the funnel's own. The condition of a goal that has been deleted keeps the goal's name. */
export type FunnelStep = { goal: string } | (GoalDefinition & { deleted_goal?: string });

/** One visit, or all visits of a visitor on one day. */
export const FUNNEL_SCOPES = ['visit', 'day'] as const;
export type FunnelScope = (typeof FUNNEL_SCOPES)[number];

/**
 * `any_between`: each step comes later than the one before, with anything in between. `strict`: each step comes right after the one before.
 * Any other page view or event in between ends the run; engagement does not. `any`: a step counts once it and all steps before it have been
 * taken, in any order. One page view or event may take several steps.
 */
export const FUNNEL_ORDERS = ['any_between', 'strict', 'any'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];

export type FunnelDefinition = { steps: FunnelStep[]; within: FunnelScope; order: FunnelOrder };

/** A step with its display name and its condition. A step that is a goal has the goal's condition. */
export type ResolvedStep = { name: string; step: FunnelStep; condition: GoalDefinition };
