// Visits that were counted, and that may not be people, or not on pages of the site: what an owner looks at before they leave it out or
// purge it.
import { t, textsOf } from '../../../../server/vocabulary/habits/messages.ts';
import type { Filter } from '../../../../server/vocabulary/questions/view-address.ts';
import type { Breakdown } from '../../api/types';

/** The lists that are looked at. */
export const LOOKED_AT = ['browser', 'os', 'device', 'hostname', 'source'] as const;
type Dimension = (typeof LOOKED_AT)[number];
type Row = Pick<Breakdown['rows'][number], 'name' | 'values' | 'previous'>;
type Listed = { rows: readonly Row[]; sum: number };

type Kind = {
  dimension: Dimension;
  /** In English, whoever reads it. */
  id: (name: string) => string;
  title: (name: string) => string;
  advice: string;
  /** The least share of all visits. */
  least: number;
  is: (row: Row, domain: string) => boolean;
};

/** Fewer visits than this come and go by chance. */
const FEWEST = 10;
const visitsOf = (values: Row['values'] | null): number => values?.visits ?? 0;
const isNew = ({ name, values, previous }: Row): boolean =>
  name !== '' && visitsOf(values) >= FEWEST && visitsOf(previous) === 0;
const bare = (host: string) => host.replace(/^www\./, '');

const KINDS: readonly Kind[] = textsOf(['advice'], [
  {
    dimension: 'browser',
    id: () => 'Unknown browser',
    title: () => t('Unknown browser'),
    advice: 'Programs that say nothing of themselves, and browsers that no list knows.',
    least: 0,
    is: ({ name }) => name === '',
  },
  {
    dimension: 'os',
    id: () => 'Unknown system',
    title: () => t('Unknown system'),
    advice: 'Few people use a system that no list knows.',
    least: 0,
    is: ({ name }) => name === '',
  },
  {
    dimension: 'device',
    id: () => 'Unknown kind of device',
    title: () => t('Unknown kind of device'),
    advice: 'Neither a phone, a computer nor anything else that is known.',
    least: 0,
    is: ({ name }) => name === 'other',
  },
  {
    dimension: 'browser',
    id: (name) => `New browser: ${name}`,
    title: (name) => t('New browser: {name}', { name }),
    advice: 'Nobody used it in the 30 days before. Many visits at once are often one program.',
    least: 0.01,
    is: isNew,
  },
  {
    dimension: 'source',
    id: (name) => `New source: ${name}`,
    title: (name) => t('New source: {name}', { name }),
    advice: 'It sent nobody in the 30 days before, and now a large part of the visits.',
    least: 0.05,
    is: isNew,
  },
  {
    dimension: 'hostname',
    id: (name) => `Another host: ${name}`,
    title: (name) => t('Another host: {name}', { name }),
    advice: 'A subdomain, a host of your settings, or a translation. Leave it out if its pages are not for visitors.',
    least: 0,
    is: ({ name }, domain) => name !== '' && bare(name) !== bare(domain),
  },
] satisfies Kind[]);

/** `share`: of all visits, from 0 to 1. `host`: of a row that can be left out as a host. */
export type Unusual = {
  id: string;
  title: string;
  advice: string;
  visits: number;
  share: number;
  filter: Filter;
  host?: string;
};

/** What is unusual, the most visits first. On a site that is new, nothing is: there is no time before to compare with. */
export function unusualIn(lists: Readonly<Record<Dimension, Listed>>, domain: string): Unusual[] {
  const found = KINDS.flatMap((kind) => {
    const { dimension, least, is } = kind;
    const { rows, sum } = lists[dimension];
    const hasBefore = rows.some(({ previous }) => visitsOf(previous) > 0);
    return rows.flatMap((row): Unusual[] => {
      const visits = visitsOf(row.values);
      const share = sum === 0 ? 0 : visits / sum;
      if (visits === 0 || share < least || !is(row, domain) || (is === isNew && !hasBefore)) return [];
      const filter: Filter = { dimension, operator: 'is', values: [row.name] };
      return [
        {
          id: kind.id(row.name),
          visits,
          share,
          filter,
          ...(dimension === 'hostname' && { host: row.name }),
          get title() {
            return kind.title(row.name);
          },
          get advice() {
            return kind.advice;
          },
        },
      ];
    });
  });
  return found.sort((one, other) => other.visits - one.visits);
}
