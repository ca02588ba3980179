// Who can see a site, and how: everything through which its numbers reach somebody. Whoever runs the server can read its stores, and has no row.
// Search Console and the places that are searched for mentions give numbers and get none; tokens for servers only write.
import { ACCESS_KINDS, type AccessKind, type AccessRow } from '../../vocabulary/settings/access.ts';
import type { Asked, Parts, Reader } from './asked.ts';
import { demo, exportFiles, keys, links, page } from './links.ts';
import { invitations, people, singleSignOn, transfer } from './people.ts';
import { alerts, feeds, ownReports, reports, webhooks } from './sent.ts';

const READERS: Record<AccessKind, Reader> = {
  person: people,
  invitation: invitations,
  single_sign_on: singleSignOn,
  link: links,
  demo,
  page,
  report: reports,
  own_report: ownReports,
  feed: feeds,
  alert: alerts,
  webhook: webhooks,
  key: keys,
  export: exportFiles,
  transfer,
};

/** By kind, in the order of the kinds. */
export async function listAccess(parts: Parts, asked: Asked): Promise<AccessRow[]> {
  const rows = ACCESS_KINDS.map(async (kind) =>
    (await READERS[kind](parts, asked)).map(({ of = null, ...row }): AccessRow => ({ kind, of, ...row })),
  );
  return (await Promise.all(rows)).flat();
}
