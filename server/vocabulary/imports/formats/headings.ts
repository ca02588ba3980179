// Headings of columns in English, German, French and Spanish, by what they become: those of Google Analytics' interface and of its API, of Matomo's
// reports, and those that people and other products use.
import { NUMBER_NAMES, type Numbers } from './format.ts';
import { LABEL_NAMES, type LabelName } from './labels.ts';

/** `bounce_rate` and `engaged_visits` become bounces, `visit_duration` (the average, in seconds) their sum; the dates' order is told or found. */
const OTHERS = [
  'date',
  'date_day_first',
  'date_month_first',
  'engaged_visits',
  'bounce_rate',
  'visit_duration',
] as const;
export type Target = (typeof OTHERS)[number] | keyof Numbers | LabelName;
export const TARGETS: readonly Target[] = [...OTHERS, ...NUMBER_NAMES, ...LABEL_NAMES];
export const isTarget = (name: string): name is Target => (TARGETS as readonly string[]).includes(name);

const HEADINGS: Partial<Record<Target, string>> = {
  date: 'date|day|datum|tag|jour|fecha|día|dia|timestamp|time|period start|date hour|date + hour|date + hour (yyyymmddhh)',
  pageviews:
    'pageviews|page views|page view|views|screen page views|total views|hits|nb hits|nb pageviews|nb actions|actions|' +
    'seitenaufrufe|aufrufe|seitenansichten|pages vues|vues|vues de page|vues de pages|nombre de vues|' +
    'vistas|vistas de página|vistas de páginas|páginas vistas|número de visitas a páginas|visualizaciones',
  visitors:
    'visitors|unique visitors|uniques|users|active users|total users|unique users|people|nb uniq visitors|nb users|' +
    'besucher|eindeutige besucher|nutzer|aktive nutzer|nutzer insgesamt|besuchende|' +
    "visiteurs|visiteurs uniques|utilisateurs|utilisateurs actifs|total des utilisateurs|nombre total d'utilisateurs|" +
    'visitantes|visitantes únicos|usuarios|usuarios activos|total de usuarios|usuarios totales',
  visits: 'visits|sessions|nb visits|entrances|besuche|sitzungen|visites|séances|visitas|sesiones',
  engaged_visits:
    'engaged sessions|sitzungen mit interaktionen|sitzungen mit interaktion|sessions avec engagement|sesiones con interacción',
  bounces: 'bounces|bounce count|absprünge|rebonds|rebotes',
  bounce_rate: 'bounce rate|absprungrate|taux de rebond|porcentaje de rebote|tasa de rebote',
  visit_seconds: 'sum visit length|total time spent by visitors (in seconds)|total duration|visit seconds',
  visit_duration:
    'average session duration|avg session duration|avg. session duration|visit duration|average visit duration|session duration|avg time on site|avg. visit duration (in seconds)|' +
    'durchschnittliche sitzungsdauer|durchschnittliche besuchsdauer|durée moyenne des sessions|durée de session moyenne|' +
    'duración media de la sesión|promedio de duración de la sesión',
  events:
    "events|event count|total events|nb events|ereignisanzahl|anzahl an ereignissen|ereignisse|nombre d'événements|événements|" +
    'número de eventos|recuento de eventos|eventos',
  page:
    'page|page path|path|pathname|url|page url|page location|page path and screen class|page path + query string|full page url|' +
    "seite|seitenpfad|seitenpfad und bildschirmklasse|chemin de la page|chemin de la page et classe de l'écran|" +
    'página|ruta de la página|ruta de página|ruta de la página y clase de pantalla',
  entry_page:
    "entry page|landing page|landing page + query string|landingpage|zielseite|einstiegsseite|page de destination|page d'entrée|" +
    'página de destino|página de entrada',
  exit_page: 'exit page|ausstiegsseite|page de sortie|página de salida',
  hostname: "hostname|host name|host|domain|nom d'hôte|nombre de host|nombre del host",
  channel:
    'channel|default channel group|default channel grouping|session default channel group|session primary channel group (default channel group)|' +
    'standard-channelgruppe|sitzung – standard-channelgruppe|groupe de canaux par défaut de la session|canal|' +
    'grupo de canales predeterminado de la sesión',
  source:
    'source|session source|traffic source|session source/medium|source/medium|first user source|session source platform|' +
    'quelle|sitzungsquelle|sitzung – quelle|quelle/medium|sitzung – quelle/medium|' +
    'source de la session|source/support|source/support de la session|fuente|fuente de la sesión|fuente/medio|fuente/medio de la sesión',
  referrer:
    'referrer|referer|referring url|page referrer|referrer url|verweis-url|verweisende seite|url de référence|url de provenance|referente|url de referencia',
  utm_source: 'utm source',
  utm_medium:
    'utm medium|session medium|medium|sitzungsmedium|sitzung – medium|support de la session|medio de la sesión',
  utm_campaign:
    'utm campaign|session campaign|campaign|session campaign name|kampagne|sitzung – kampagne|sitzungskampagne|campagne|campagne de la session|' +
    'campaña|campaña de la sesión',
  utm_content: 'utm content|session manual ad content',
  utm_term: 'utm term|session manual term',
  country: 'country|country code|country id|country name|land|pays|país|pais',
  region: 'region|region code|state|bundesland|région|región',
  city: 'city|city name|town/city|stadt|ort|ville|ciudad',
  language: 'language|language code|locale|sprache|sprachcode|langue|idioma',
  browser: 'browser|browser name|navigateur|navegador',
  browser_version: 'browser version|browserversion|version du navigateur|versión del navegador',
  os: "os|os name|operating system|system|betriebssystem|système d'exploitation|sistema operativo",
  os_version:
    "os version|operating system version|betriebssystemversion|version du système d'exploitation|versión del sistema operativo",
  device:
    "device|device type|device category|gerät|gerätetyp|gerätekategorie|appareil|type d'appareil|catégorie d'appareil|" +
    'dispositivo|tipo de dispositivo|categoría de dispositivo',
  event:
    "event|event name|goal|ereignis|ereignisname|événement|nom de l'événement|evento|nombre del evento|nombre de evento",
};

const targets = new Map(
  (Object.entries(HEADINGS) as [Target, string][]).flatMap(([target, names]) =>
    names.split('|').map((name) => [name, target] as const),
  ),
);

/** `screenPageViews`, `page_views` and `Page views` are one heading. */
export const headingOf = (column: string): string =>
  column
    .slice(0, 200)
    .normalize('NFC')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll('_', ' ')
    .replaceAll(/\s{0,5}\/\s{0,5}/g, '/')
    .replaceAll(/\s{1,50}/g, ' ')
    .trim();

/** What a column seems to be, by its heading. */
export const proposedTarget = (column: string): Target | undefined => targets.get(headingOf(column));
