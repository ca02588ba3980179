// The procedure that says who can see a site. Each of its rows is ended by the procedure of its own kind.
import { Refusal } from '../../errors.ts';
import { router, siteProcedure } from '../trpc.ts';
import { listAccess } from './list.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const access = router({
  list: siteProcedure('admin').query(({ ctx }) => {
    if (ctx.viewer.kind !== 'user') throw new Refusal('forbidden', t('Log in to see this.'));
    const { site, role } = ctx.access;
    return listAccess(ctx, { site, by: { userId: ctx.viewer.userId, role }, now: ctx.now() });
  }),
});
