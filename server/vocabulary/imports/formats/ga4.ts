// Google Analytics 4. The CSV of a report or an exploration that has a date becomes daily sums; comment lines with # stand before its header. The
// newline-delimited JSON of the export to BigQuery (https://support.google.com/analytics/answer/7029846) becomes hits.
import { PAGEVIEW } from '../../event.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../reading/json.ts';
import { placeOf, referrerOf } from '../values/addresses.ts';
import { instantOf } from '../values/dates.ts';
import { countryOf } from '../values/places.ts';
import { machineOf, valueOf } from '../values/names.ts';
import { AUTOMATIC_IN_GOOGLE, eventName } from './events.ts';
import { openColumns, proposeColumns } from './columns.ts';
import { BLANK_HIT, type CsvFormat, type Format, type JsonFormat } from './format.ts';
import { headingOf } from './headings.ts';

/** Headings that no other product has. */
const OWN = new Set(
  (
    'active users|engaged sessions|session source/medium|session source|session medium|session default channel group|' +
    'session campaign|page path and screen class|page path + query string|device category|screen page views|session manual term|' +
    'aktive nutzer|sitzungen mit interaktionen|sitzung – quelle/medium|seitenpfad und bildschirmklasse|gerätekategorie|' +
    "utilisateurs actifs|sessions avec engagement|source/support de la session|chemin de la page et classe de l'écran|catégorie d'appareil|" +
    'usuarios activos|sesiones con interacción|fuente/medio de la sesión|ruta de la página y clase de pantalla|categoría de dispositivo'
  ).split('|'),
);

const csv: CsvFormat = {
  kind: 'sums',
  open(head, { mapping }) {
    if (mapping) return undefined;
    if (!head.hasComments && !head.header.some((column) => OWN.has(headingOf(column)))) return undefined;
    const hasEventNames = proposeColumns(head, undefined).includes('event');
    // Its count of events includes page views and other automatic ones: only by name it says something.
    const columns = proposeColumns(head, undefined, hasEventNames ? [] : ['events']);
    const table = openColumns(head, columns);
    const eventAt = columns.indexOf('event');
    if (!table || eventAt === -1) return table;
    return {
      ...table,
      put: (cells, batch, line) => {
        const name = cells[eventAt] ?? '';
        return name === 'page_view' || AUTOMATIC_IN_GOOGLE.has(name) ? undefined : table.put(cells, batch, line);
      },
    };
  },
};

const json: JsonFormat = {
  kind: 'hits',
  matches: (start) => start.includes('"event_timestamp"') && start.includes('"event_name"'),
  becomes: {
    event_timestamp: 'time',
    event_name: 'name',
    'event_params.page_location': 'path',
    'event_params.page_referrer': 'referrer',
    user_pseudo_id: 'visitor',
    'geo.country': 'country',
    'geo.city': 'city',
    'device.category': 'device',
    'device.web_info.browser': 'browser',
    'device.operating_system': 'os',
    'device.language': 'language',
    'geo.region': null,
    'event_params.page_title': null,
    user_id: null,
    user_properties: null,
  },
  open: () => (row, batch, line) => {
    const time = instantOf(row.event_timestamp, { perSecond: 1_000_000 });
    if (time === undefined) return 'no_date';
    const told = textOf(row.event_name);
    if (AUTOMATIC_IN_GOOGLE.has(told)) return undefined;
    const isView = told === 'page_view';
    const name = isView ? PAGEVIEW : eventName(told);
    const place = placeOf(parameter(row, 'page_location'));
    if (isView && !place) return 'no_page';
    if (name === '') return 'unreadable';
    const geo = objectOf(row.geo);
    const device = objectOf(row.device);
    const web = objectOf(device.web_info);
    batch.hits.push({
      ...BLANK_HIT,
      time,
      visitor: textOf(row.user_pseudo_id) || parameter(row, 'ga_session_id') || `line ${line}`,
      name,
      hostname: place?.hostname ?? '',
      path: place?.path ?? '',
      referrer: referrerOf(parameter(row, 'page_referrer')),
      country: countryOf(textOf(geo.country)),
      city: valueOf(textOf(geo.city)),
      ...machineOf({
        browser: textOf(web.browser ?? device.browser),
        browserVersion: textOf(web.browser_version ?? device.browser_version),
        os: textOf(device.operating_system),
        osVersion: textOf(device.operating_system_version).replace(/^\D+/, ''),
        device: textOf(device.category),
        language: textOf(device.language),
      }),
    });
    return undefined;
  },
};

export const ga4: Format = { product: 'Google Analytics 4', csv, json: [json] };

function parameter(row: JsonObject, key: string): string {
  const parameters: unknown[] = Array.isArray(row.event_params) ? row.event_params : [];
  for (const one of parameters) {
    if (!isObject(one) || one.key !== key) continue;
    const { string_value: text, int_value: number } = objectOf(one.value);
    return textOf(text) || textOf(number);
  }
  return '';
}
