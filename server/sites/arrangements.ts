// Arrangements of the dashboard (see `vocabulary/settings/arrangement.ts`): that of a site is among its settings, that of a link with the link, and
// those of members here.
import { z } from 'zod';
import type { Directory } from '../directory/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { MAX_FILTER_VALUE } from '../vocabulary/limits.ts';
import { METRIC_NAMES } from '../vocabulary/numbers/metrics.ts';
import {
  type Arrangement,
  CHAPTER_NAMES,
  MAX_KEPT_TABS,
  NEXT_STEPS,
  type OwnArrangement,
  rearranged,
} from '../vocabulary/settings/arrangement.ts';

const chapters = z.array(z.enum(CHAPTER_NAMES)).max(CHAPTER_NAMES.length);
const figures = z.array(z.enum(METRIC_NAMES)).max(METRIC_NAMES.length);
const tabs = z
  .record(z.string().max(MAX_FILTER_VALUE), z.string().max(MAX_FILTER_VALUE))
  .refine((given) => Object.keys(given).length <= MAX_KEPT_TABS, `must have at most ${MAX_KEPT_TABS} tabs`);

export const arrangement = z.strictObject({ order: chapters, folded: chapters, hidden: chapters, figures }).partial();

const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().optional();
/** What a member changes of their own arrangement: null takes a field back. */
export const ownChange = z.strictObject({
  order: nullable(chapters),
  folded: nullable(chapters),
  hidden: nullable(chapters),
  figures: nullable(figures),
  tabs: nullable(tabs),
  next_steps: z.array(z.enum(NEXT_STEPS)).max(NEXT_STEPS.length).optional(),
});

/** The usual one for what this version cannot read. An account may have thousands of sites, and most have none to read. */
export const arrangementIn = (kept: unknown): Arrangement =>
  kept === undefined ? {} : (arrangement.safeParse(kept).data ?? {});

type Whose = { siteId: SiteId; userId: string };

/** Changes the fields that are given, and returns the whole. */
export async function arrangeOwn(
  { db }: Pick<Directory, 'db'>,
  { siteId, userId }: Whose,
  change: z.output<typeof ownChange>,
): Promise<OwnArrangement> {
  const before = (await ownArrangements({ db }, { userId, siteId })).get(siteId) ?? {};
  const whole = rearranged(before, change);
  const content = JSON.stringify(whole);
  await db
    .insertInto('arrangements')
    .values({ site_id: siteId, user_id: userId, content })
    .onConflict((conflict) => conflict.columns(['user_id', 'site_id']).doUpdateSet({ content }))
    .execute();
  return whole;
}

/** A person's own arrangements, by site. */
export async function ownArrangements(
  { db }: Pick<Directory, 'db'>,
  { userId, siteId }: { userId: string; siteId?: SiteId },
): Promise<ReadonlyMap<SiteId, OwnArrangement>> {
  const all = db.selectFrom('arrangements').select(['site_id', 'content']).where('user_id', '=', userId);
  const rows = await (siteId === undefined ? all : all.where('site_id', '=', siteId)).execute();
  return new Map(
    rows.map(({ site_id, content }) => {
      const { tabs: kept, next_steps, ...others } = JSON.parse(content) as OwnArrangement;
      return [site_id, { ...arrangementIn(others), ...(kept && { tabs: kept }), ...(next_steps && { next_steps }) }];
    }),
  );
}
