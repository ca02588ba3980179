// Random filters with values that events have.
import type { VisitedEvent } from '../../../server/vocabulary/event.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { OPERATOR_NAMES } from '../../../server/vocabulary/questions/operators.ts';
import type { PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import type { openRandom } from '../api/hostile-input.ts';
import { valuesOf } from './reference-counts.ts';

type From = { random: ReturnType<typeof openRandom>; rows: VisitedEvent[] };

export function drawFilterOn(dimension: Dimension, { random, rows }: From): PlainFilter {
  const operator = random.pick(OPERATOR_NAMES);
  const values = Array.from({ length: 1 + random.number(2) }, () => {
    const value = random.pick(rows.flatMap((row) => valuesOf(row, dimension, rows)));
    return operator.startsWith('contains') && value.length > 2 ? value.slice(1).toUpperCase() : value;
  });
  return { dimension, operator, values };
}
