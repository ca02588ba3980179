// Notes in the API: a deployment marks its release on the charts.
import type { z } from 'zod';
import { createNote } from '../../sites/definitions/notes.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import type { Call, Result } from './operations.ts';
import type * as fields from './requests.ts';

export async function makeNote(call: Call<unknown, z.output<typeof fields.note>>): Promise<Result> {
  const { services, body, now, readSite, idempotencyKey: key } = call;
  const { site_id, day, ...rest } = body;
  const { id: siteId, timezone } = await readSite(site_id);
  const content = { ...rest, day: day ?? dayIn(timezone ?? UTC, now) };
  return { data: await createNote(services.directory, { siteId, content, key }, now) };
}
