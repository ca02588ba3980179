// Names of events in other products that Footfall's own script sends under another name.
import { MAX_NAME } from '../../limits.ts';
import { valueOf } from '../values/names.ts';
import { remember } from '../values/memo.ts';

const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Plausible
    'outbound link: click': 'outbound_link',
    'file download': 'file_download',
    'form: submission': 'form_submit',
    '404': 'not_found',
    // Google Analytics
    click: 'outbound_link',
    // Matomo
    outlink: 'outbound_link',
    download: 'file_download',
  }),
);

export const eventName = remember((text: string): string => {
  const name = valueOf(text, MAX_NAME);
  return SAME.get(name.toLowerCase()) ?? name;
});

/** What Google Analytics counts by itself, beside page views: signs of a visit, not events. */
export const AUTOMATIC_IN_GOOGLE = new Set(['session_start', 'first_visit', 'user_engagement', 'scroll', 'first_open']);
