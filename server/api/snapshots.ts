// Who is on a site now and how fast its pages feel, as a viewer may see it.
import type { Snapshot, SteppedSnapshot } from '../live/windows.ts';
import type { SiteAccess, Viewer } from '../sites/access.ts';
import { measuresVitals } from '../sites/settings.ts';
import { checkPart } from '../stats/disclosure/link-rules.ts';
import { isLimited, type ViewerRule } from '../stats/disclosure/rule.ts';
import type { SpeedNow } from '../stats/vitals/now.ts';
import { MAIN_VITALS, type MainVital } from '../vocabulary/numbers/vitals.ts';
import type { Services } from './trpc.ts';
import { ruleFor } from './viewer-rule.ts';

type Looking = Pick<Services, 'windows' | 'now'> & { viewer: Viewer; access: SiteAccess };

/** In steps for viewers whose numbers are limited. */
export function snapshotFor({ windows, viewer, access, now }: Looking): Promise<Snapshot | SteppedSnapshot> {
  const { id } = access.site;
  return isLimited(ruleFor(viewer, access)) ? windows.inSteps(id, now()) : windows.snapshot(id, now());
}

/** `p75`: null if too little was measured. `views`: null for viewers whose numbers are limited. */
type ShownSpeed = { p75: number | null; views: number | null };

/** Null for a site that measures nothing. */
export async function speedFor({
  speedNow,
  viewer,
  access,
  now,
}: Pick<Services, 'speedNow' | 'now'> & Pick<Looking, 'viewer' | 'access'>): Promise<Record<
  MainVital,
  ShownSpeed
> | null> {
  const { id, settings } = access.site;
  const rule = ruleFor(viewer, access);
  checkPart(rule?.link, 'pages');
  if (!measuresVitals(settings)) return null;
  const felt = await speedNow(id, now());
  const shown = MAIN_VITALS.map((vital) => [vital, shownTo(rule, felt[vital])]);
  return Object.fromEntries(shown) as Record<MainVital, ShownSpeed>;
}

/** Two digits for viewers, as stats/vitals does: more may be those of a single view. */
function shownTo(rule: ViewerRule | undefined, { p75, views, visitors }: SpeedNow[MainVital]): ShownSpeed {
  if (!isLimited(rule)) return { p75, views };
  const isShown = p75 !== null && visitors >= rule.fewest;
  return { p75: isShown ? Number(p75.toPrecision(2)) : null, views: null };
}
