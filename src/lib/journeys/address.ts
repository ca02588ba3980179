// The journey in the address: its start, its direction and its steps.
import { MAX_FILTER_VALUE } from '../../../server/vocabulary/limits.ts';
import {
  JOURNEY_DIRECTIONS,
  JOURNEY_STARTS,
  type JourneyDirection,
  type JourneyStart,
  MAX_JOURNEY_STEPS,
  MIN_JOURNEY_STEPS,
  USUAL_JOURNEY_STEPS,
} from '../../../server/vocabulary/questions/journeys.ts';

export type JourneyView = {
  /** The most common entry page by default. */
  start?: JourneyStart | undefined;
  direction: JourneyDirection;
  steps: number;
};

export const USUAL_JOURNEY: JourneyView = { direction: 'forwards', steps: USUAL_JOURNEY_STEPS };

/** `journey=page:/pricing&direction=backwards&steps=5`. Undefined for the default journey. */
export function readJourney(params: URLSearchParams): JourneyView | undefined {
  const start = readStart(params.get('journey') ?? '');
  const direction = JOURNEY_DIRECTIONS.find((name) => name === params.get('direction')) ?? USUAL_JOURNEY.direction;
  const asked = Number(params.get('steps') ?? '');
  const isAllowed = Number.isInteger(asked) && asked >= MIN_JOURNEY_STEPS && asked <= MAX_JOURNEY_STEPS;
  const steps = isAllowed ? asked : USUAL_JOURNEY.steps;
  if (!start && direction === USUAL_JOURNEY.direction && steps === USUAL_JOURNEY.steps) return undefined;
  return { ...(start ? { start } : {}), direction, steps };
}

export function writeJourney(params: URLSearchParams, { start, direction, steps }: JourneyView): void {
  if (start) params.set('journey', `${start.kind}:${start.value}`);
  if (direction !== USUAL_JOURNEY.direction) params.set('direction', direction);
  if (steps !== USUAL_JOURNEY.steps) params.set('steps', String(steps));
}

function readStart(text: string): JourneyStart | undefined {
  const at = text.indexOf(':');
  const kind = JOURNEY_STARTS.find((name) => name === text.slice(0, at));
  const value = text.slice(at + 1);
  return kind && value !== '' && value.length <= MAX_FILTER_VALUE ? { kind, value } : undefined;
}
