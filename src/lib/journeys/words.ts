// The words for the blocks and branches of a journey.
import { t, texts } from '../../../server/vocabulary/habits/messages.ts';
import type { JourneyDirection } from '../../../server/vocabulary/questions/journeys.ts';
import type { Branch, BlockKind } from './layout';

const ENDS: Record<JourneyDirection, string> = texts({ forwards: 'Left the site', backwards: 'Visit began' });

export function blockName({ kind, name }: { kind: BlockKind; name: string }, direction: JourneyDirection): string {
  if (kind === 'ended') return ENDS[direction];
  return kind === 'other' ? t('Other') : name;
}

/** The names along a path, in the order in which visits took it. */
export function pathNames(branches: Branch[], path: number[], direction: JourneyDirection): string[] {
  const names = path.flatMap((at) => branches[at]?.name ?? []);
  return direction === 'forwards' ? names : names.reverse();
}
