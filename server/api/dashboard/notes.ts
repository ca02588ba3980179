// Procedures for notes. Everybody who sees the dashboard can read them; private ones only the site's own people. Viewers of a share link see those of
// its days.
import { z } from 'zod';
import { changeNote, createNote, deleteNote, listNotes, noteContent } from '../../sites/definitions/notes.ts';
import { showsDay } from '../../stats/disclosure/link-rules.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { router, siteProcedure } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';

const id = z.string().max(MAX_RECORD_ID);

export const notes = router({
  list: siteProcedure('read', { part: 'any' }).query(async ({ ctx }) => {
    const { viewer, access } = ctx;
    const { id: siteId, timezone } = access.site;
    const notes = await listNotes(ctx.directory, { siteId, isShared: viewer.kind === 'share' });
    const link = ruleFor(viewer, access)?.link;
    const today = { now: ctx.now(), zone: timezone ?? UTC };
    return notes.filter(({ day }) => showsDay(link, day, today));
  }),
  create: siteProcedure('admin')
    .input(z.object({ content: noteContent }))
    .mutation(({ ctx, input: { content } }) =>
      createNote(ctx.directory, { siteId: ctx.access.site.id, content }, ctx.now()),
    ),
  update: siteProcedure('admin')
    .input(z.object({ id, content: noteContent }))
    .mutation(({ ctx, input: { id, content } }) =>
      changeNote(ctx.directory, { siteId: ctx.access.site.id, id, content }),
    ),
  delete: siteProcedure('admin')
    .input(z.object({ id }))
    .mutation(({ ctx, input: { id } }) => deleteNote(ctx.directory, { siteId: ctx.access.site.id, id })),
});
