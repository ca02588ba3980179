// The steps of a hit, in order: each enriches it (put…) or drops it with a reason from a closed set (drop…). After the last step, nothing
// remains of the address and the user agent.
import type { AiVisit, Event } from '../event.ts';
import type { Site } from '../sites/sites.ts';
import type { DropReason } from '../vocabulary/drops.ts';
import { type Context, type Draft, draftOf } from './draft.ts';
import {
  dropBot,
  dropFile,
  dropFloodOfEvents,
  dropFloodOfVisitors,
  dropForeignHost,
  dropNotAi,
  dropNotServed,
  dropOptedOut,
  dropOverQuota,
  dropPaused,
  dropReferrerSpam,
  dropRepeatView,
  dropSamePage,
} from './drop-steps.ts';
import { DOORS, type Door, FROM_ANYBODY, type Hit } from './hit.ts';
import { putAiVisit, putAttribution, putClient, putOrder, putPlace, putTaggedSource, putVisitor } from './put-steps.ts';

export type Step = (draft: Draft, context: Context) => DropReason | undefined | Promise<DropReason | undefined>;

/** Doors for page requests by people and agents. The API is not among them: its events have no user agent, and may name any host. */
const REQUESTS: readonly Door[] = ['script', 'image', 'report', 'log'];
/** Doors that count people. At all other doors, only AI visits get past `dropNotAi`. */
const PEOPLE: readonly Door[] = ['script', 'log'];

const STEPS: readonly { step: Step; doors: readonly Door[] }[] = [
  { step: dropPaused, doors: DOORS },
  { step: dropForeignHost, doors: REQUESTS },
  { step: dropFloodOfEvents, doors: FROM_ANYBODY },
  { step: dropFile, doors: ['report'] },
  { step: putAiVisit, doors: REQUESTS },
  { step: dropNotAi, doors: ['image'] },
  { step: dropNotServed, doors: ['log'] },
  { step: dropBot, doors: ['script', 'report', 'log'] },
  { step: dropNotAi, doors: ['report'] },
  { step: dropOptedOut, doors: ['script'] },
  { step: dropReferrerSpam, doors: PEOPLE },
  { step: dropOverQuota, doors: ['script', 'api'] },
  { step: dropSamePage, doors: ['script'] },
  { step: putPlace, doors: PEOPLE },
  { step: putClient, doors: PEOPLE },
  { step: putAttribution, doors: PEOPLE },
  { step: putTaggedSource, doors: ['api'] },
  { step: putOrder, doors: ['script', 'api'] },
  { step: putVisitor, doors: PEOPLE },
  { step: dropFloodOfVisitors, doors: ['script'] },
  { step: dropRepeatView, doors: PEOPLE },
];

/**
 * Doors whose repeated ids are shown to the owner as drops. The API's callers repeat ids on purpose, and imports count their repeats
 * themselves.
 */
export const COUNTS_REPEATED_IDS: readonly Door[] = ['script', 'report'];

const STEPS_OF = Object.fromEntries(
  DOORS.map((door) => [door, STEPS.filter(({ doors }) => doors.includes(door)).map(({ step }) => step)]),
) as Record<Door, Step[]>;

/** Runs the steps of the hit's door. Ends early when a step drops the hit or finds an AI visit. */
export async function runSteps(
  hit: Hit,
  site: Site,
  context: Context,
): Promise<{ recorded: Event | AiVisit } | { dropped: DropReason }> {
  const draft = draftOf(hit, site);
  for (const step of STEPS_OF[hit.door]) {
    const answer = step(draft, context);
    const dropped = answer instanceof Promise ? await answer : answer;
    if (dropped) return { dropped };
    if (draft.ai) return { recorded: draft.ai };
  }
  return { recorded: draft.event };
}
