// Counts the conversions that a goal would have had, while somebody is still editing it.
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { resolvePeriod } from '../../vocabulary/time/periods.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Reader } from '../reader.ts';
import { type Asked, askTotals, scopeOf } from './values.ts';

export type PreviewQuestion = { site_id: string; definition: GoalDefinition };
export type Preview = { conversions: number; converted_visitors: number };

const DAYS = 30;

export async function askPreview(reader: Reader, { question, site, now }: Asked<PreviewQuestion>): Promise<Preview> {
  const { site_id, definition } = question;
  const today = resolvePeriod({ period: 'today' }, now, { zone: site.timezone ?? undefined });
  const goals = [{ id: 'preview', ...definition }];
  const scope = scopeOf(
    { question: { site_id, filters: [] }, site, goals },
    { ...today, from: today.to - DAYS * DAY_MS },
  );
  const { conversions = 0, converted_visitors = 0 } = await askTotals({ ask: reader.askOnce }, scope, [
    'conversions',
    'converted_visitors',
  ]);
  return { conversions, converted_visitors };
}
