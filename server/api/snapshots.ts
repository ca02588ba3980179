// Who is on a site now, as a viewer may see it.
import type { Snapshot, SteppedSnapshot } from '../live/windows.ts';
import type { SiteAccess, Viewer } from '../sites/access.ts';
import { isLimited } from '../stats/disclosure/rule.ts';
import type { Services } from './trpc.ts';
import { ruleFor } from './viewer-rule.ts';

type Looking = Pick<Services, 'windows' | 'now'> & { viewer: Viewer; access: SiteAccess };

/** In steps for viewers whose numbers are limited. */
export function snapshotFor({ windows, viewer, access, now }: Looking): Promise<Snapshot | SteppedSnapshot> {
  const { id } = access.site;
  return isLimited(ruleFor(viewer, access)) ? windows.inSteps(id, now()) : windows.snapshot(id, now());
}
