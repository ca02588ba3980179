// Dimensions whose values may each belong to very few visitors. Viewers see their lists without small rows, and filter by one value at a time.
import { isProperty } from './dimensions.ts';
import { FURTHEST_STEP } from './furthest-step.ts';
import type { PlainDimension } from './segments.ts';

const IDENTIFYING: readonly PlainDimension[] = ['city', 'browser_version', 'os_version', 'goal', FURTHEST_STEP];

export const isIdentifying = (dimension: PlainDimension): boolean =>
  isProperty(dimension) || IDENTIFYING.includes(dimension);
