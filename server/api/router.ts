// The dashboard's procedures, all of them: a table of names over the functions of sites/, stats/ and live/.
import { accounts, session } from './accounts.ts';
import { keys, shares, sites } from './sites.ts';
import { live, stats } from './stats.ts';
import { router } from './trpc.ts';

export const appRouter = router({ session, accounts, sites, keys, shares, stats, live });
export type AppRouter = typeof appRouter;
