// A small export of each product, in each of its forms: two days of January 2025, for the tests of readers and of whole imports.
import type { FormatName } from '../../server/vocabulary/imports/formats/formats.ts';
import type { ImportFile } from '../../server/vocabulary/imports/import.ts';
import { fileOf, zipOf } from './imports.ts';
import { logOf } from './logs.ts';

/** In each sample: as the id of a visitor or a user, or in a title, a query, a link, a property or a file that is not read. */
export const PERSON = 'ann@example.com';
/** In logs, these tell visitors apart. */
export const ADDRESSES = ['203.0.113.7', '203.0.113.8'] as const;

type Sample = { format: FormatName; files(host: string): ImportFile[] | Promise<ImportFile[]> };

const PLAUSIBLE = {
  'imported_visitors_20250130_20250131.csv':
    'date,visitors,pageviews,bounces,visits,visit_duration\n2025-01-30,10,30,4,12,600\n2025-01-31,5,9,2,5,100\n',
  'imported_custom_events_20250130_20250131.csv':
    'date,name,link_url,path,visitors,events\n2025-01-30,signup,mailto:ann@example.com,/,3,4\n2025-01-31,signup,,/,1,1\n',
};
/** In the folder and the order of its zip. The event must not count as a page view. */
const GOATCOUNTER_JSON = Object.fromEntries(
  Object.entries({
    'info.json': '{\n  "export_version": "1.0",\n  "created_by": "user_id=1 <ann@example.com>"\n}\n',
    'paths.jsonl':
      '{"id":211,"path":"/","title":"Home"}\n{"id":215,"path":"/api","title":"API"}\n{"id":300,"event":true,"path":"signup","title":""}\n',
    'refs.jsonl':
      '{"id":1,"ref":"","ref_scheme":"o"}\n{"id":2,"ref":"Google","ref_scheme":"g"}\n{"id":3,"ref":"example.org/x","ref_scheme":"h"}\n',
    'browsers.jsonl': '{"id":37,"name":"Firefox","version":"83"}\n',
    'systems.jsonl': '{"id":18,"name":"Windows","version":"10"}\n',
    'locations.jsonl': '{"country":"DE","region":"BW","country_name":"Germany","region_name":"Baden-Württemberg"}\n',
    'languages.jsonl': '{"iso_639_3":"deu","name":"German"}\n',
    'browser_stats.jsonl':
      '{"day":"2025-01-30","path_id":211,"browser_id":37,"count":6}\n{"day":"2025-01-30","path_id":300,"browser_id":37,"count":2}\n',
    'system_stats.jsonl': '{"day":"2025-01-30","path_id":211,"system_id":18,"count":6}\n',
    'location_stats.jsonl': '{"day":"2025-01-30","path_id":211,"location":"DE-BW","count":6}\n',
    'size_stats.jsonl': '{"day":"2025-01-30","path_id":211,"width":1280,"count":6}\n',
    'language_stats.jsonl': '{"day":"2025-01-30","path_id":211,"language":"deu","count":6}\n',
    'hit_stats.jsonl':
      '{"hour":"2025-01-30T10:00:00Z","path_id":211,"ref_id":2,"count":4}\n{"hour":"2025-01-30T23:00:00Z","path_id":211,"ref_id":1,"count":2}\n' +
      '{"hour":"2025-01-30T23:00:00Z","path_id":300,"ref_id":1,"count":2}\n{"hour":"2025-01-31T00:00:00Z","path_id":215,"ref_id":3,"count":1}\n',
  }).map(([name, text]) => [`goatcounter-export-x-20250201T000000Z/${name}`, text]),
);

/** As pg_dump writes it: tables by name, with those that are not read. The second website is another site. */
const umamiDump = (host: string) =>
  [
    '--\n-- PostgreSQL database dump\n--\n',
    'CREATE TABLE public.session (\n    session_id uuid NOT NULL\n);\n',
    'COPY public.session (session_id, website_id, browser, os, device, screen, language, country, region, city, created_at, distinct_id) FROM stdin;',
    's1\tw1\tedge-chromium\tWindows 10\tlaptop\t1920x1080\ten-US\tDE\tDE-BY\tMunich\t2025-01-30 10:00:00+00\tann@example.com',
    's2\tw2\tfirefox\tLinux\tdesktop\t\\N\tfr\tFR\t\\N\t\\N\t2025-01-30 10:00:00+00\t\\N',
    '\\.\n\n',
    'COPY public."user" (user_id, username, password) FROM stdin;\nu1\tadmin\tsecret\n\\.\n',
    `COPY public.website (website_id, name, domain) FROM stdin;\nw1\tMine\t${host}\nw2\tOther\thttps://elsewhere.example\n\\.\n`,
    'COPY public.website_event (event_id, website_id, session_id, created_at, url_path, url_query, referrer_domain, page_title, event_type, event_name, hostname) FROM stdin;',
    `e1\tw1\ts1\t2025-01-30 10:00:00.25+00\t/a\\\\b\tutm_source=x&id=7\tgoogle.com\tTitle\\twith tab\t1\t\\N\t${host}`,
    'e2\tw1\ts1\t2025-01-30 10:05:00+00\t/\t\\N\t\\N\t\\N\t2\tsignup\t\\N',
    'e3\tw2\ts2\t2025-01-31 10:00:00+00\t/\t\\N\t\\N\t\\N\t1\t\\N\t\\N',
    'e4\tw1\ts3\t2025-01-31 10:00:00+01\t/\t\\N\t\\N\t\\N\t1\t\\N\t\\N',
    '\\.\n\n--\n-- PostgreSQL database dump complete\n--\n',
  ].join('\n');

const footfall = (host: string) => ({
  [`${host}/daily_sums/2025-01.csv`]: [
    'date,dimension,value,unique_visitors,visits,pageviews,events,bounces,visit_seconds',
    '2025-01-30,,,3,4,5,1,2,60',
    '2025-01-31,,,1,1,2,0,1,0',
    '2025-01-31,page,/a,1,0,2,0,0,0',
    "2025-01-31,source,'=a,1,1,2,0,1,0",
    '',
  ].join('\n'),
  'account/members.json': '[{"email":"ann@example.com"}]',
  [`${host}/daily_goals/2025-01-goals.csv`]: [
    'date,goal_id,goal,conditions,conversions,converted_visitors,revenue,currency',
    '2025-01-30,goal_A,Sign-up,"[""a""]",1,1,0,EUR',
    '',
  ].join('\n'),
});

const posthog = (event: string, timestamp: string, properties: object) =>
  `0189,${event},"${JSON.stringify(properties).replaceAll('"', '""')}",${timestamp},ann@example.com\n`;

const openpanel = (host: string, more: object) =>
  `${JSON.stringify({
    id: 'e',
    name: '',
    sdk_name: 'web',
    device_id: 'd1',
    profile_id: 'ann@example.com',
    project_id: 'p',
    session_id: 's',
    path: '/',
    origin: `https://${host}`,
    referrer: 'https://google.com/search?q=secret',
    duration: '0',
    properties: { '__query.utm_source': 'news', '__query.id': '7', plan: 'pro' },
    city: 'Munich',
    region: 'Bavaria',
    os: 'Mac OS',
    os_version: '10.15.7',
    browser: 'Chrome',
    browser_version: '140.0.0.0',
    device: 'desktop',
    country: 'DE',
    ...more,
  })}\n`;

const vercel = (host: string, more: object) => ({
  schema: 'vercel.analytics.v1',
  eventType: 'pageview',
  sessionId: 1,
  deviceId: 67890,
  origin: `https://${host}`,
  path: '/dashboard',
  referrer: 'https://google.com',
  queryParams: 'utm_source=google&email=ann@example.com',
  route: '/[id]',
  country: 'US',
  region: 'CA',
  city: 'San Francisco',
  osName: 'macOS',
  osVersion: '13.4',
  clientName: 'Chrome',
  clientVersion: '114.0.5735.90',
  deviceType: 'desktop',
  eventData: '{"email":"ann@example.com"}',
  ...more,
});

/** Where the first visitor of both exports of Umami is, and with which machine. */
export const VISITOR_OF_UMAMI = {
  country: 'DE',
  region: 'DE-BY',
  city: 'Munich',
  browser: 'Edge',
  browser_version: '',
  os: 'Windows',
  os_version: '10',
  device: 'desktop',
  language: 'en-US',
  screen_width: 1920,
};

export const SAMPLES = {
  footfall: {
    format: 'footfall',
    files: async (host) => [await zipOf('example.zip', { 'README.txt': 'Everything', ...footfall(host) })],
  },
  plausible: {
    format: 'plausible',
    files: async () => [await zipOf('export.zip', PLAUSIBLE)],
  },
  umami: {
    format: 'umami',
    files: (host) => [
      fileOf(
        'website_event.csv',
        'session_id,hostname,browser,os,device,country,url_path,url_query,referrer_domain,event_type,event_name,created_at\n',
        `ann@example.com,${host},firefox,Linux,desktop,DE,/,,google.com,1,,2025-01-30 10:00:00\n`,
        `ann@example.com,${host},firefox,Linux,desktop,DE,/pricing,,,2,signup,2025-01-30 10:05:00\n`,
        `b,${host},firefox,Linux,desktop,DE,/,,,1,,2025-01-31 10:00:00\n`,
        `c,elsewhere.example,firefox,Linux,desktop,DE,/,,,1,,2025-01-31 10:00:00\n`,
      ),
    ],
  },
  'umami dump': {
    format: 'umami',
    files: (host) => [fileOf('umami.sql', umamiDump(host))],
  },
  goatcounter: {
    format: 'goatcounter',
    files: () => [
      fileOf(
        'goatcounter-export.csv',
        '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date\n',
        '/,,false,,Firefox 139,Linux,ann@example.com,0,,,,DE,true,2025-01-30T10:00:00Z\n',
        '/docs,,false,,Firefox 139,Linux,ann@example.com,0,,,,DE,false,2025-01-30T10:01:00Z\n',
        '/bot,,false,,,,5,7,,,,,true,2025-01-31T10:00:00Z\n',
      ),
    ],
  },
  'goatcounter JSON': {
    format: 'goatcounter',
    files: async () => [await zipOf('goatcounter-export.zip', GOATCOUNTER_JSON)],
  },
  'simple-analytics': {
    format: 'simple-analytics',
    files: (host) => [
      fileOf(
        'data-points.csv',
        'added_iso,hostname,path,query,is_unique,is_robot,document_referrer,utm_source,country_code,browser_name,os_name,device_type,datapoint,duration_seconds\n',
        `2025-01-30T10:00:00.000Z,${host},/a,email=ann@example.com,true,false,,,NL,Chrome,macOS,desktop,pageview,12\n`,
        `2025-01-31T10:02:00.000Z,${host},/a,,false,false,,,NL,Firefox,Linux,mobile,click_buy,\n`,
      ),
    ],
  },
  matomo: {
    format: 'matomo',
    files: (host) => [
      fileOf(
        'visits.json',
        JSON.stringify([
          {
            idVisit: '7',
            visitorId: 'ann@example.com',
            countryCode: 'de',
            browserName: 'Firefox',
            operatingSystemName: 'Linux',
            deviceType: 'Desktop',
            actionDetails: [
              { type: 'action', url: `https://${host}/a`, timestamp: Date.UTC(2025, 0, 30, 10) / 1000 },
              { type: 'action', url: `https://${host}/b`, timestamp: Date.UTC(2025, 0, 30, 10, 5) / 1000 },
            ],
          },
        ]),
      ),
    ],
  },
  ga4: {
    format: 'ga4',
    files: () => [
      fileOf(
        'download.csv',
        '# Free form 1, for ann@example.com\n\nDate,Views,Active users,Sessions,Engaged sessions,Average session duration\n',
        '20250130,20,10,12,9,50\n20250131,1,1,1,0,0\n',
      ),
    ],
  },
  fathom: {
    format: 'fathom',
    files: () => [
      fileOf(
        'site.csv',
        'datetime,visits,uniques,pageviews,avg_duration,bounce_rate\n2025-01-30 00:00:00,12,10,30,50,0.25\n2025-01-31 00:00:00,5,5,9,20,0.4\n',
      ),
      fileOf(
        'pageviews.csv',
        'datetime,hostname,pathname,referrer_hostname,referrer_pathname,browser,country_code,state,city,device_type,operating_system,utm_source,pageviews,visits,uniques\n',
        '2025-01-30 10:00:00,https://example.com,/?email=ann@example.com,google.com,/,Chrome,DE,Bavaria,Munich,desktop,OS X,,30,12,10\n',
        '2025-01-31 10:00:00,https://example.com,/pricing,,,Firefox,FR,,,Mobile,Android,news,9,5,5\n',
      ),
      fileOf('events.csv', 'datetime,event_name,completions,uniques\n2025-01-30 10:00:00,signup,4,3\n'),
    ],
  },
  rybbit: {
    format: 'rybbit',
    files: async () => [
      await zipOf('rybbit-export.zip', {
        'pages.csv': 'value,count,percentage,pageviews\n/?email=ann@example.com,10,100,30\n',
        'overview-timeseries.csv':
          'time,sessions,pages_per_session,bounce_rate,session_duration,pageviews,users\n2025-01-30 00:00:00,12,2.5,25,50,30,10\n2025-01-31 00:00:00,5,1.8,40,20,9,5\n',
        'weekdays-heatmap.csv':
          'time,sessions,pages_per_session,bounce_rate,session_duration,pageviews,users\n2025-01-30 10:00:00,12,2.5,25,50,30,10\n',
      }),
    ],
  },
  posthog: {
    format: 'posthog',
    files: (host) => [
      fileOf(
        'export.csv',
        'uuid,event,properties,timestamp,distinct_id\n',
        posthog('$pageview', '2025-01-30 10:00:00.5+00:00', {
          $current_url: `https://${host}/?utm_source=x&id=7`,
          $device_id: 'd1',
        }),
        posthog('$pageleave', '2025-01-30 10:01:00+00:00', { $current_url: `https://${host}/` }),
        posthog('signup', '2025-01-30 10:02:00+00:00', {
          $current_url: `https://${host}/pricing`,
          $device_id: 'd1',
          plan: 'pro',
        }),
        posthog('$pageview', '2025-01-31T10:00:00Z', { $current_url: `https://${host}/b`, $browser: 'Firefox' }),
      ),
    ],
  },
  'posthog JSON': {
    format: 'posthog',
    files: (host) => [
      fileOf(
        'events.jsonl',
        '{"uuid":"1","event":"$pageview","distinct_id":"ann@example.com","person_properties":{},"timestamp":"2025-01-30T10:00:00.500000+00:00",' +
          `"properties":{"$current_url":"https://${host}/","$referrer":"$direct","$os":"Mac OS X","$geoip_country_code":"DE"}}\n`,
      ),
    ],
  },
  openpanel: {
    format: 'openpanel',
    files: (host) => [
      fileOf(
        'events-2025-01-30-0000.jsonl',
        openpanel(host, { name: 'session_start', created_at: '2025-01-30 10:00:00.000' }),
        openpanel(host, { name: 'screen_view', created_at: '2025-01-30 10:00:00.123' }),
        openpanel(host, { name: 'signup', created_at: '2025-01-30 10:01:00.000' }),
        openpanel(host, { name: 'screen_view', created_at: '2025-01-31 10:00:00.000', path: '/b', device_id: 'd2' }),
      ),
    ],
  },
  vercel: {
    format: 'vercel',
    files: (host) => [
      fileOf(
        'drain.json',
        JSON.stringify([
          vercel(host, { timestamp: Date.UTC(2025, 0, 30, 10) }),
          vercel(host, { timestamp: Date.UTC(2025, 0, 30, 10, 1), eventType: 'event', eventName: 'signup' }),
          vercel(host, { timestamp: Date.UTC(2025, 0, 31, 10), path: '/b', deviceId: 12345 }),
        ]),
      ),
    ],
  },
  'access-log': {
    format: 'access-log',
    files: (host) => [
      fileOf(
        'access.log.1',
        logOf(
          'combined',
          [
            { time: Date.UTC(2025, 0, 31, 10), address: ADDRESSES[1], target: `/?email=${PERSON}` },
            { time: Date.UTC(2025, 0, 31, 10, 5), address: ADDRESSES[1], target: '/style.css' },
          ],
          host,
        ),
      ),
      fileOf('access.log.2', logOf('Caddy', [{ time: Date.UTC(2025, 0, 30, 10), address: ADDRESSES[0] }], host)),
    ],
  },
  csv: {
    format: 'csv',
    files: () => [
      fileOf(
        'days.csv',
        'Datum;Seitenaufrufe;Besucher;Sitzungen;E-Mail\n30.01.2025;1.234;20;30;ann@example.com\n31.01.2025;6;2;3;\n',
      ),
    ],
  },
} as const satisfies Record<string, Sample>;
