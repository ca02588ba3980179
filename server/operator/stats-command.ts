// The command that prints the numbers of a site in the terminal.
import { styleText } from 'node:util';
import { z } from 'zod';
import type { SiteNumbers } from '../api/rest/site-numbers.ts';
import { message } from '../vocabulary/habits/messages.ts';
import { MAX_FILTERS } from '../vocabulary/limits.ts';
import { NAMED_COMPARISONS, PERIOD_NAMES } from '../vocabulary/time/periods.ts';
import { type Command, command, domain, Text } from './command-line.ts';

/** For output that is not a terminal. */
const USUAL_WIDTH = 80;

const day = z.string().optional().meta({ value: 'YYYY-MM-DD' });

export const statsCommand: Command = command('stats', {
  summary: message('Print the numbers of a site: totals, a chart, and the first rows of each list'),
  onlyReads: true,
  options: z.object({
    site: domain,
    period: z
      .enum(PERIOD_NAMES)
      .default('30d')
      .meta({ value: 'PERIOD', places: { names: PERIOD_NAMES.join(', ') } })
      .describe(message('One of {names}; 30d by default')),
    'date-from': day.describe(message('First day, with --period custom')),
    'date-to': day.describe(message('Last day, with --period custom')),
    compare: z
      .enum(NAMED_COMPARISONS)
      .default('previous')
      .meta({ value: 'PERIOD', places: { names: NAMED_COMPARISONS.join(', ') } })
      .describe(message('One of {names}; the previous period by default')),
    filter: z
      .array(z.string().regex(/^[^=]+=./s, message('{option} must be written DIMENSION=VALUE.')))
      .max(MAX_FILTERS)
      .optional()
      .meta({ value: 'DIMENSION=VALUE' })
      .describe(message('Count only this value of a dimension, such as page=/pricing; may be repeated')),
    json: z.boolean().optional().describe(message('Print one line of JSON, with the answers of the API')),
  }),
  run: async ({ site, filter = [], json, 'date-from': date_from, 'date-to': date_to, ...asked }, { config, now }) => {
    const { operate } = await import('./run-operation.ts');
    const filters = filter.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
    const question = { ...asked, date_from, date_to, domain: site, filter: Object.fromEntries(filters) as object };
    const numbers = (await operate('stats', question, { config, now, onProgress: () => undefined })) as SiteNumbers;
    if (json) return numbers;
    const { drawStats } = await import('./stats-text.ts');
    const hasColours = process.stdout.isTTY && process.stdout.hasColors(); // false if NO_COLOR is set
    return new Text(
      drawStats(
        numbers,
        { period: asked.period, filters: filter },
        {
          width: process.stdout.columns || USUAL_WIDTH, // 0 in some terminals
          paint: (style, text) =>
            hasColours && text !== '' ? styleText(style, text, { validateStream: false }) : text,
        },
      ),
    );
  },
});
