// The steps of a hit, in order: each enriches it (put…) or drops it with a reason from a closed set (drop…). After the last step, nothing
// remains of the address and the user agent.
import { BLANK_EVENT, type Recorded } from '../vocabulary/event.ts';
import type { Site } from '../sites/sites.ts';
import type { DropReason } from '../vocabulary/drops.ts';
import { type Context, type Draft, draftOf, type OwnContext, type SharedContext, type SharedDraft } from './draft.ts';
import {
  dropBot,
  dropErrorsOverLimit,
  dropFile,
  dropFloodOfErrors,
  dropFloodOfEvents,
  dropFloodOfVisitors,
  dropForeignHost,
  dropLeftOutCountry,
  dropLeftOutHost,
  dropLeftOutPage,
  dropNotAi,
  dropNotServed,
  dropOptedOut,
  dropOverQuota,
  dropOwnVisit,
  dropPaused,
  dropReferrerSpam,
  dropRepeatView,
  dropSamePage,
  dropUnasked,
  dropUnaskedErrors,
} from './drop-steps.ts';
import { DOORS, type Door, FROM_ANYBODY, type Hit } from './hit.ts';
import {
  putAiVisit,
  putAttribution,
  putClient,
  putError,
  putImported,
  putOrder,
  putPlace,
  putSender,
  putTaggedSource,
  putVisitor,
  putVitals,
} from './put-steps.ts';

type Answer = DropReason | undefined | Promise<DropReason | undefined>;
/** A shared step needs what all hits have in common. If HTTP has processes of its own, the one that owns the queue runs these steps. */
type Step =
  | { isShared?: never; step(draft: Draft, context: OwnContext): Answer }
  | { isShared: true; step(draft: SharedDraft, context: SharedContext): Answer };

/** Doors for page requests by people and agents. The API is not among them: its events have no user agent, and may name any host. */
const REQUESTS: readonly Door[] = ['script', 'vitals', 'errors', 'image', 'report', 'log'];
/** Doors that count people. At all other doors, only AI visits get past `dropNotAi`. */
const PEOPLE: readonly Door[] = ['script', 'vitals', 'errors', 'log'];
/** Measurements and errors belong to a page view that came before: where its visit came from is known, and they are no view of their own. */
const VIEWS: readonly Door[] = ['script', 'log'];
const IMPORTED: readonly Door[] = ['import'];

const STEPS: readonly (Step & { doors: readonly Door[] })[] = [
  { step: dropPaused, doors: DOORS },
  { step: dropForeignHost, doors: [...REQUESTS, ...IMPORTED] },
  { step: dropUnasked, doors: ['vitals'] },
  { step: dropUnaskedErrors, doors: ['errors'] },
  { step: putSender, doors: FROM_ANYBODY },
  { step: dropFloodOfEvents, doors: ['script', 'vitals', 'image'], isShared: true },
  { step: dropFloodOfErrors, doors: ['errors'], isShared: true },
  { step: dropLeftOutHost, doors: [...REQUESTS, ...IMPORTED] },
  { step: dropLeftOutPage, doors: [...REQUESTS, ...IMPORTED] },
  { step: dropFile, doors: ['report'] },
  { step: putAiVisit, doors: REQUESTS },
  { step: dropNotAi, doors: ['image'] },
  { step: dropNotServed, doors: ['log'] },
  { step: dropBot, doors: ['script', 'vitals', 'errors', 'report', 'log'] },
  { step: dropNotAi, doors: ['report'] },
  { step: dropOwnVisit, doors: PEOPLE },
  { step: dropOptedOut, doors: ['script', 'vitals', 'errors'] },
  { step: dropReferrerSpam, doors: [...VIEWS, ...IMPORTED] },
  { step: dropOverQuota, doors: ['script', 'vitals', 'errors', 'api'] },
  { step: dropSamePage, doors: ['script'] },
  { step: putPlace, doors: PEOPLE },
  { step: putImported, doors: IMPORTED },
  { step: dropLeftOutCountry, doors: [...PEOPLE, ...IMPORTED] },
  { step: putClient, doors: PEOPLE },
  { step: putAttribution, doors: [...VIEWS, ...IMPORTED] },
  { step: putTaggedSource, doors: ['api'] },
  { step: putOrder, doors: ['script', 'api'] },
  { step: putVisitor, doors: [...PEOPLE, ...IMPORTED] },
  { step: dropFloodOfVisitors, doors: ['script'], isShared: true },
  { step: dropRepeatView, doors: VIEWS, isShared: true },
  { step: putVitals, doors: ['vitals'] },
  { step: putError, doors: ['errors'] },
  { step: dropErrorsOverLimit, doors: ['errors'], isShared: true },
];

/**
 * Doors whose repeated ids are shown to the owner as drops. The API's callers repeat ids on purpose, and imports count their repeats
 * themselves.
 */
export const COUNTS_REPEATED_IDS: readonly Door[] = ['script', 'vitals', 'errors', 'report'];

const stepsOf = (door: Door): Step[] => STEPS.filter(({ doors }) => doors.includes(door));
const STEPS_OF = Object.fromEntries(DOORS.map((door) => [door, stepsOf(door)])) as Record<Door, Step[]>;

const recordedOf = ({ event, vitals, error }: Draft): Recorded => vitals ?? error ?? event;

export type StepsOutcome = { recorded: Recorded } | { dropped: DropReason };

/** Runs the steps of the hit's door. Ends early when a step drops the hit or finds an AI visit. Without a step that has to wait, the answer is there at once. */
export function runSteps(hit: Hit, site: Site, context: Context): StepsOutcome | Promise<StepsOutcome> {
  const draft = draftOf(hit, site);
  const steps = STEPS_OF[hit.door];
  const goOn = (from: number): StepsOutcome | Promise<StepsOutcome> => {
    for (let index = from; index < steps.length; index++) {
      const answer = steps[index]?.step(draft, context);
      if (answer instanceof Promise)
        return answer.then((dropped) => (dropped ? { dropped } : draft.ai ? { recorded: draft.ai } : goOn(index + 1)));
      if (answer) return { dropped: answer };
      if (draft.ai) return { recorded: draft.ai };
    }
    return { recorded: recordedOf(draft) };
  };
  return goOn(0);
}

/** A hit after all steps that are not shared, without its address and user agent. */
export type HalfWay = StepsOutcome & {
  door: Door;
  time: number;
  sender?: string;
  /** Number of the step that ended the hit. Shared steps before it come first. */
  endedAt: number;
};

/** Runs the steps that are not shared. `runSharedSteps` runs the others, in any process. */
export async function runOwnSteps(hit: Hit, site: Site, context: OwnContext): Promise<HalfWay> {
  const draft = draftOf(hit, site);
  const steps = STEPS_OF[hit.door];
  const end = (endedAt: number, outcome: StepsOutcome): HalfWay => {
    const { door, time } = hit;
    return { door, time, endedAt, ...outcome, ...(draft.sender !== undefined && { sender: draft.sender }) };
  };
  for (const [index, one] of steps.entries()) {
    if (one.isShared) continue;
    const answer = one.step(draft, context);
    const dropped = answer instanceof Promise ? await answer : answer;
    if (dropped) return end(index, { dropped });
    if (draft.ai) return end(index, { recorded: draft.ai });
  }
  return end(steps.length, { recorded: recordedOf(draft) });
}

/** The outcome is that of `runSteps`: a shared step drops the hit only if no step before it has. */
export async function runSharedSteps(half: HalfWay, context: SharedContext): Promise<StepsOutcome> {
  const draft: SharedDraft = {
    hit: { time: half.time },
    event: 'recorded' in half && half.recorded.kind === 'event' ? half.recorded : BLANK_EVENT, // read only after all other steps
    ...(half.sender !== undefined && { sender: half.sender }),
    ...('recorded' in half && half.recorded.kind === 'error' && { error: half.recorded }),
  };
  for (const one of STEPS_OF[half.door].slice(0, half.endedAt)) {
    if (!one.isShared) continue;
    const answer = one.step(draft, context);
    const dropped = answer instanceof Promise ? await answer : answer;
    if (dropped) return { dropped };
  }
  return 'recorded' in half ? { recorded: half.recorded } : { dropped: half.dropped };
}
