// Procedures for notes. Everybody who sees the dashboard can read them; private ones only the site's own people.
import { z } from 'zod';
import { changeNote, createNote, deleteNote, listNotes, noteContent } from '../../sites/definitions/notes.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { router, siteProcedure } from '../trpc.ts';

const id = z.string().max(MAX_RECORD_ID);

export const notes = router({
  list: siteProcedure('read', { part: 'any' }).query(({ ctx }) =>
    listNotes(ctx.directory, { siteId: ctx.access.site.id, isShared: ctx.viewer.kind === 'share' }),
  ),
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
