// The small words of a question, and those that say nothing.
import { INTERVALS } from '../time/intervals.ts';
import type { Entry, Joint, Meaning } from './meanings.ts';

const JOINTS: Record<Joint, string> = {
  from: 'from|via|through|out of|coming from|that came from|who came from|referred by|sent by|thanks to',
  in: 'in|to|into|at|within|of|speaking|reading',
  on: 'on|using|running|for',
  with: 'with|having|whose',
  by: 'by|per|for each|for every|each|every|grouped by|split by|broken down by|broken down into|across|sorted by|group by|by each',
  not: 'not|without|except|excluding|exclude|but not|other than|minus|outside|outside of|except for|apart from|not from|not on|not in|not via|ignoring|no|non',
  or: 'or|and|nor|plus|as well as',
  compare:
    'vs|versus|compared to|compared with|compare to|compare with|against|compared|compare|relative to|than|in comparison with|in comparison to|vs.',
  most: 'top|most|highest|best|biggest|largest|main|most popular|popular|leading|most visited|most viewed|most read|most common|ranked by|with the most|best performing|ten',
  contains: 'containing|contains|contain|that contain|that contains|including|includes|matching|like|named like',
  begins:
    'starting with|that start with|that starts with|starts with|start with|beginning with|begins with|ending with|ends with|under|below',
  rate: 'rate|rates',
  filler:
    'a|an|the|my|our|me|us all|i|we|it|its|their|there|this site|the site|site|website|show|show me|give|give me|tell me|list|see|get|got|what|which|who|whom|how|how many|how much|how often|many|much|was|were|is|are|be|been|did|do|does|have|had|has|come|came|coming|comes|number|number of|count|counts|amount|total|totals|please|all|any|that|these|those|figures|numbers|stats|statistics|analytics|data|report|chart|graph|trend|trends|over time|made|make|arrived|landed|ended|left|happened|during|whole|entire|only|just|went|go|visited|visiting|viewed|read|reads|reached|reaching|sent|bring|brought|brings|were there|was there|average|avg|mean|median|and the|about|when|ones|so far|can you|could you|would you|find|want|need|know|like to|lost|last seen|as|the most of',
};
const ASCENDING = 'least|fewest|lowest|worst|smallest|bottom|rarest|with the fewest|with the least';

const INTERVAL_WORDS: Record<(typeof INTERVALS)[number], string> = {
  minute: 'by minute|per minute|minute by minute|each minute|every minute',
  hour: 'by hour|per hour|hourly|hour by hour|each hour|every hour',
  day: 'by day|per day|daily|day by day|each day|every day|by date',
  week: 'by week|per week|weekly|week by week|each week|every week',
  month: 'by month|per month|monthly|month by month|each month|every month',
};

const COMPARISONS = {
  previous:
    'previous period|the previous period|period before|the period before|the month before|the week before|the day before|the quarter before|previous one|month over month|week over week|mom|wow|before that|before',
  year: 'same period last year|the same period last year|year over year|yoy|a year ago|a year earlier|the year before|a year before|year on year|same time last year',
  none: 'no comparison|without comparison|without a comparison|not compared',
} as const;

const entries = (phrases: string, label: string, meaning: Meaning): Entry[] =>
  phrases.split('|').map((phrase) => ({ phrase, label, meaning, sureness: 'own' }));

export const jointEntries: readonly Entry[] = [
  ...Object.entries(JOINTS).flatMap(([joint, phrases]) =>
    entries(phrases, joint, { kind: 'joint', joint: joint as Joint }),
  ),
  ...entries(ASCENDING, 'fewest first', { kind: 'joint', joint: 'most', isAscending: true }),
  ...INTERVALS.flatMap((interval) =>
    entries(INTERVAL_WORDS[interval], `by ${interval}`, { kind: 'interval', interval }),
  ),
  ...Object.entries(COMPARISONS).flatMap(([compare, phrases]) =>
    entries(phrases, '', { kind: 'comparison', compare: compare as keyof typeof COMPARISONS }),
  ),
];
