// All tRPC procedures of the dashboard, by name.
import { access } from '../access/procedures.ts';
import { accounts, session } from './accounts.ts';
import { alerts } from './alerts.ts';
import { factors } from './factors.ts';
import { billing } from './billing.ts';
import { funnels, goals } from './goals.ts';
import { groups } from './groups.ts';
import { exports, leaving } from './leaving.ts';
import { keys, sites } from './sites.ts';
import { mentions } from './mentions.ts';
import { notes } from './notes.ts';
import { sessions } from './sessions.ts';
import { people } from './people.ts';
import { imports } from './imports.ts';
import { purges } from './purges.ts';
import { profile } from './profile.ts';
import { reports } from './reports.ts';
import { searchConsole } from './search-console.ts';
import { segments } from './segments.ts';
import { feeds } from '../feeds/procedures.ts';
import { shares } from '../sharing/procedures.ts';
import { live, stats } from './stats.ts';
import { transfers } from './transfers.ts';
import { router } from '../trpc.ts';
import { webhooks } from './webhooks.ts';

export const appRouter = router({
  access,
  session,
  sessions,
  profile,
  accounts,
  leaving,
  factors,
  billing,
  sites,
  transfers,
  keys,
  shares,
  feeds,
  stats,
  live,
  goals,
  funnels,
  groups,
  people,
  segments,
  notes,
  imports,
  exports,
  purges,
  webhooks,
  reports,
  alerts,
  searchConsole,
  mentions,
});
export type AppRouter = typeof appRouter;
