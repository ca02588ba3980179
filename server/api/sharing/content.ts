// What people set on a share link, checked at the boundary: for the dashboard, the API and `manage`.
import { z } from 'zod';
import { arrangement } from '../../sites/arrangements.ts';
import { filterList } from '../../stats/query.ts';
import {
  LINK_DAYS,
  MAX_FIXED_FILTERS,
  MAX_FRAME_HOSTS,
  MAX_LINK_DAYS,
  MAX_LINK_NOTE,
  MOST_FEWEST,
  PART_NAMES,
} from '../../vocabulary/settings/share-links.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import { DAY_RULE } from '../../vocabulary/time/periods.ts';
import { readDay } from '../../vocabulary/time/time.ts';

const day = z.string().refine((text) => readDay(text) !== undefined, DAY_RULE);

const period = z.union([
  z.strictObject({ days: z.int().min(1).max(MAX_LINK_DAYS) }),
  z
    .strictObject({ date_from: day, date_to: day })
    .refine(({ date_from, date_to }) => date_from <= date_to, 'must end on its first day or later'),
]);

/** What viewers see, and what a draft consists of. */
export const shownContent = {
  shows: z
    .strictObject({
      properties: z.boolean(),
      fewest: z.int().min(1).max(MOST_FEWEST),
      credit: z.boolean(),
      embedded_on: z.array(z.string().max(MAX_ADDRESS)).max(MAX_FRAME_HOSTS),
    })
    .partial()
    .optional(),
  rules: z
    .strictObject({
      filters: filterList.max(MAX_FIXED_FILTERS).default([]),
      period: period.nullable().default(null),
      parts: z.array(z.enum(PART_NAMES)).max(PART_NAMES.length).nullable().default(null),
      timezone: z.enum(LINK_DAYS).default('site'),
    })
    .optional(),
  looks: z
    .strictObject({ theme: z.enum(['light', 'dark']).nullable(), arrangement: arrangement.nullable() })
    .partial()
    .optional(),
};

export const linkName = z.string().max(100);

/** `password`: null takes it away. */
export const linkContent = {
  ...shownContent,
  note: z.string().max(MAX_LINK_NOTE).optional(),
  expires_at: z.int().positive().nullable().optional(),
  paused: z.boolean().optional(),
  public: z.boolean().optional(),
  indexed: z.boolean().optional(),
  password: z.string().max(200).nullable().optional(),
};
