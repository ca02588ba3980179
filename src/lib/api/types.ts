// The types of the server's answers, named for the components. Types only: no server code reaches the browser.
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../../server/api/dashboard/router.ts';
import type { Filter } from '../view/view.ts';
import type { AskedPeriod, Comparison } from '../../../server/vocabulary/time/periods.ts';

export type { Snapshot } from '../live/feed.ts';

type Answers = inferRouterOutputs<AppRouter>;
/** The questions themselves. */
export type Asks = inferRouterInputs<AppRouter>;

export type Session = NonNullable<Answers['session']['current']>;
export type Account = Session['account'];
export type People = Answers['people']['list'];
export type AccountLog = Answers['accounts']['log'];
export type Webhook = Answers['webhooks']['list'][number];
export type Deliveries = Answers['webhooks']['log'];
/** What this server offers to people who are not signed in. */
export type Start = Answers['session']['start'];
/** `search_broken`: people who may change the site must connect it with Search Console again. */
export type ShareLink = Answers['shares']['list']['links'][number];
/** Whether this server has public dashboards, and lists them. */
export type PublicDashboards = Answers['shares']['list']['public_dashboards'];
export type SharedSite = Answers['shares']['site'];
/** `own_arrangement`: how the reader has arranged the dashboard. `next_steps`: what a new site offers to do. */
export type Site = Omit<SharedSite, 'shows' | 'rules' | 'looks' | 'about'> &
  Pick<Session['sites'][number], 'own_arrangement' | 'next_steps' | 'search_broken'>;
export type Shows = SharedSite['shows'];
export type Verification = Answers['sites']['verify'];
export type Settings = Answers['sites']['settings'];
export type Purge = Answers['purges']['list'][number];
export type PurgedCounts = Purge['counts'];
export type Import = Answers['imports']['list'][number];
export type Export = Answers['exports']['list'][number];
export type PathRules = Settings['path_rules'];
export type Offer = Answers['transfers']['current'];
export type Arrivals = Answers['sites']['arrivals'];
export type Finding = Answers['sites']['check'];
export type Overview = Answers['sites']['overview'][number];

export type Question = AskedPeriod & {
  site_id: string;
  compare?: Comparison | undefined;
  compare_from?: string | undefined;
  compare_to?: string | undefined;
  filters?: Filter[] | undefined;
  segment?: string | undefined;
  versus?: string | undefined;
  include_imported?: boolean | undefined;
};

export type Summary = Answers['stats']['summary'];
export type Timeseries = Answers['stats']['timeseries'];
export type Point = Timeseries['points'][number];
export type Breakdown = Answers['stats']['breakdown'];
export type Week = Answers['stats']['week'];
export type Trends = Answers['stats']['trends'];
export type Properties = Answers['stats']['properties'];
export type ReportList = Answers['reports']['list'];
export type Report = ReportList['reports'][number];
export type PersonalReports = Answers['reports']['own'];
export type ReportRun = Answers['reports']['log'][number];
export type SiteGroup = Answers['groups']['list'][number];
export type GroupNumbers = Answers['groups']['numbers'];
export type Segment = Answers['segments']['list'][number];
export type Found = Answers['stats']['search'][number];
export type Understood = Answers['stats']['ask'];
export type AiSeries = Answers['stats']['aiSeries'];
export type AiOverTime = Answers['stats']['aiOverTime'];
export type Robots = Answers['sites']['robots'];
export type Reading = Answers['stats']['reading'];
export type ErrorsList = Answers['stats']['errors'];
export type ErrorsDetail = Answers['stats']['errorsDetail'];
export type VitalsOverview = Answers['stats']['vitals'];
export type VitalsFigures = VitalsOverview['totals'];
export type VitalsList = Answers['stats']['vitalsList'];
export type SpeedNow = Answers['live']['speed'];
export type VitalsConversion = Answers['stats']['vitalsConversion'];
export type VitalsHistogram = Answers['stats']['vitalsHistogram'];
export type Currencies = Answers['stats']['currencies'];
export type Journey = Answers['stats']['journey'];
export type Note = Answers['notes']['list'][number];
/** Something on the chart: a note on a day, or what was noticed at a time, with what a click on it does. */
export type Mark = Note & { time?: number; open?: () => void };
export type SearchStatus = Answers['searchConsole']['status'];
export type SearchTerms = Answers['searchConsole']['terms'];
export type SearchProperties = Answers['searchConsole']['properties'];
export type AlertList = Answers['alerts']['list'];
export type Alert = AlertList['alerts'][number];
export type AlertHistory = Answers['alerts']['history'];
export type AlertPreview = Answers['alerts']['preview'];
export type Mentions = Answers['mentions']['list'];
export type Mention = Mentions['mentions'][number];
export type MentionSettings = Answers['mentions']['settings'];
export type Goal = Answers['goals']['list'][number];
export type Funnel = Answers['funnels']['list'][number];
export type FunnelFigures = Answers['stats']['funnel'];
export type FunnelLeft = Answers['stats']['left'];
export type Movers = Answers['stats']['movers'];
export type Dropped = Answers['sites']['dropped'];
export type Explanation = NonNullable<Answers['stats']['driver']>;
