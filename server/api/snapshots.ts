// Who is on a site now and how fast its pages feel, as a viewer may see it.
import type { SteppedSnapshot } from '../live/windows.ts';
import type { SiteAccess, Viewer } from '../sites/access.ts';
import { measuresVitals } from '../sites/settings.ts';
import { checkPart, listsNowOf } from '../stats/disclosure/link-rules.ts';
import { isLimited, type ViewerRule } from '../stats/disclosure/rule.ts';
import type { SpeedNow } from '../stats/vitals/now.ts';
import { MAIN_VITALS, type MainVital } from '../vocabulary/numbers/vitals.ts';
import type { ListsNow } from '../vocabulary/settings/wall.ts';
import type { Services } from './trpc.ts';
import { ruleFor } from './viewer-rule.ts';

type Looking = Pick<Services, 'windows' | 'now'> & { viewer: Viewer; access: SiteAccess };

type ShownNow = Pick<SteppedSnapshot, 'current_visitors' | 'minutes'> & Partial<ListsNow>;

/** In steps for viewers whose numbers are limited, and without the lists that their link leaves out. */
export async function snapshotFor({ windows, viewer, access, now }: Looking): Promise<ShownNow> {
  const { id } = access.site;
  const rule = ruleFor(viewer, access);
  const { current_visitors, minutes, ...all } = await (isLimited(rule)
    ? windows.inSteps(id, now())
    : windows.snapshot(id, now()));
  const lists = listsNowOf(rule?.link).map((list) => [list, all[list]]);
  return { current_visitors, minutes, ...(Object.fromEntries(lists) as Partial<ListsNow>) };
}

/** Throws forbidden for a link that leaves them out. */
export async function sourcesNow(looking: Looking): Promise<ListsNow['sources']> {
  checkPart(ruleFor(looking.viewer, looking.access)?.link, 'sources');
  const { sources = [] } = await snapshotFor(looking);
  return sources;
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
