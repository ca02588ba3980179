// Procedures for groups of sites, and their numbers.
import { z } from 'zod';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroup,
  type Group,
  groupContent,
  listGroups,
} from '../../sites/groups.ts';
import { groupQuestion } from '../../stats/query.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import { latestZone } from '../../vocabulary/time/zones.ts';
import { checkPeriod } from './stats.ts';
import { accountProcedure, router, statsFor } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';

const id = z.string().max(MAX_RECORD_ID);

const toShown = ({ id, name, sites }: Group) => ({ id, name, site_ids: sites.map((site) => site.id) });

export const groups = router({
  /** The groups in which the caller sees any site, with the sites that they see. */
  list: accountProcedure('read').query(async ({ ctx }) => (await listGroups(ctx.directory, ctx.access)).map(toShown)),
  create: accountProcedure('admin')
    .input(groupContent)
    .mutation(async ({ ctx, input }) =>
      toShown(await createGroup(ctx.directory, { member: ctx.access, content: input }, ctx.now())),
    ),
  update: accountProcedure('admin')
    .input(z.strictObject({ id, content: groupContent }))
    .mutation(async ({ ctx, input: { id, content } }) => {
      const group = await findGroup(ctx.directory, ctx.access, id);
      await changeGroup(ctx.directory, { group, member: ctx.access, content });
    }),
  /** The numbers of the sites that the caller sees, together and each. */
  numbers: accountProcedure('read')
    .input(groupQuestion.extend({ id }))
    .query(async ({ ctx, input: { id, ...question } }) => {
      const { sites } = await findGroup(ctx.directory, ctx.access, id);
      const zones = sites.map(({ timezone }) => timezone);
      checkPeriod(question, { timezone: latestZone(zones, ctx.now()) }, ctx.now());
      const rules = sites.map((site) => ruleFor(ctx.viewer, { site, role: ctx.access.role }));
      const looking = { accountId: ctx.access.account.id, rule: rules.find(Boolean) };
      return (await statsFor(ctx, ctx.viewer, looking)).group(question, sites, ctx.now());
    }),
  delete: accountProcedure('admin')
    .input(z.strictObject({ id }))
    .mutation(async ({ ctx, input }) => {
      await deleteGroup(ctx.directory, await findGroup(ctx.directory, ctx.access, input.id), ctx.now());
    }),
});
