// /share/TOKEN/badge.svg and its kin: pictures of a link's numbers for READMEs and other pages. Their parameters are closed sets, so that what is
// kept has a limit whatever strangers ask for, and their numbers are those that the link shows to everybody.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { languageTag } from '../../directory/habits.ts';
import { Refusal } from '../../errors.ts';
import { inHabits } from '../../process/habits.ts';
import { drawCalendar } from '../../sites/previews/pictures/calendar.ts';
import type { Asked } from '../../sites/previews/pictures/asked.ts';
import { drawBadge, drawLineChart, drawSparkline } from '../../sites/previews/pictures/lines.ts';
import { drawMap } from '../../sites/previews/pictures/map.ts';
import { habitsOfPicture } from '../../sites/previews/habits.ts';
import type { Drawn } from '../../sites/previews/previews.ts';
import type { Site } from '../../sites/sites.ts';
import { currencyOf } from '../../stats/answers/values.ts';
import { breakdownQuestion, timeseriesQuestion } from '../../stats/query.ts';
import type { Stats } from '../../stats/run.ts';
import {
  isPicture,
  type Picture,
  PICTURE_FORMATS,
  PICTURE_NAMES,
  PICTURE_THEMES,
  type PictureFormat,
  pictureRow,
  USUAL_PICTURE,
  usualSpan,
  usualTheme,
} from '../../vocabulary/settings/pictures.ts';
import { DAY_MS, dayOf, MINUTE_MS, readDay } from '../../vocabulary/time/time.ts';
import type { AskedPeriod, Period } from '../../vocabulary/time/periods.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { askOverTime } from '../sharing/over-time.ts';
import { lookingAt, type Services, statsFor } from '../trpc.ts';
import { readParams } from '../rest/params.ts';
import type { Shared } from './share-page.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const KEPT_MS = MINUTE_MS;
/** A year: this week, and 52 before it. */
const WEEKS = 53;
const WEEK_MS = 7 * DAY_MS;
/** Countries of a map. */
const MAX_COUNTRIES = 300;

const NAME = /^\/share\/([^/]+)\/([a-z]+)\.([a-z]+)$/;
const TYPES: Record<PictureFormat, string> = { svg: 'image/svg+xml; charset=utf-8', png: 'image/png' };

/** `period`: undefined for the usual one. `lang`: in which language, and by whose habits dates and numbers are written. */
type Parameters = Pick<Asked, 'metric' | 'theme'> & { period?: Period; lang?: string };
type Wanted = Parameters & { picture: Picture; format: PictureFormat };

/** The token of a picture's address, and the picture. Undefined for other addresses. Throws a refusal that says what is allowed. */
export function readPicture(url: URL): { token: string; wanted: Wanted } | undefined {
  const [, token, picture = '', format] = NAME.exec(url.pathname) ?? [];
  const known = PICTURE_FORMATS.find((one) => one === format);
  if (token === undefined || !known) return undefined;
  if (!isPicture(picture))
    throw new Refusal(
      'not_found',
      t('There is no such picture: it must be {value}.', { value: PICTURE_NAMES.join(', ') }),
    );
  const asked = readParams(url, parametersOf(picture, known)) as Parameters;
  return { token, wanted: { picture, format: known, ...asked } };
}

function parametersOf(picture: Picture, format: PictureFormat): z.ZodObject {
  const { metrics, periods } = pictureRow(picture);
  const themes = PICTURE_THEMES.filter((theme) => format === 'svg' || theme !== 'auto');
  return z.strictObject({
    metric: oneOf(metrics).default(USUAL_PICTURE.metric),
    ...(periods && { period: oneOf(periods).optional() }),
    theme: oneOf(themes).default(usualTheme(format)),
    lang: languageTag.optional(),
  });
}

const oneOf = (values: readonly string[]) => z.enum(values, { error: `must be one of ${values.join(', ')}` });

type Exchange = { request: IncomingMessage; response: ServerResponse };

export async function sendPicture(
  services: Services,
  { access, viewer, link }: Shared,
  { wanted, request, response }: Exchange & { wanted: Wanted },
): Promise<void> {
  if (link.password_hash !== undefined)
    throw new Refusal('forbidden', t('A link with a password has no pictures: whoever shows them could not type it.'));
  const { site } = access;
  const now = services.now();
  // Everything that decides what the link shows is part of the key, so a changed link has a new picture at once.
  const key = JSON.stringify([viewer, site.domain, site.timezone, ...Object.entries(wanted)]);
  const drawn = await services.previews.find({ key, format: wanted.format, keptMs: KEPT_MS }, async () => {
    const take = wanted.format === 'png' ? services.takePreview : services.takePicture; // a PNG takes a core for a second
    await take(await services.addressHashOf(request));
    const asking = { ...services, requester: services.requesterOf(request) };
    const stats = await statsFor(asking, viewer, lookingAt(viewer, access));
    const { lang, format, picture, metric, theme, period } = wanted;
    const span: AskedPeriod = period ? { period } : usualSpan(viewer.rules.period, now, site.timezone ?? undefined);
    const { domain } = site;
    const asked = { ...span, metric, theme, domain, currency: currencyOf(site), hasCredit: viewer.shows.credit };
    return inHabits(habitsOfPicture(lang, format), () => DRAWINGS[picture](stats, asked, { site, now }));
  });
  send(drawn, { request, response, type: TYPES[wanted.format], now });
}

function send(
  { bytes, etag, drawnAt }: Drawn,
  { request, response, type, now }: Exchange & { type: string; now: number },
): void {
  const secondsLeft = Math.max(0, Math.ceil((drawnAt + KEPT_MS - now) / 1000));
  const headers = {
    'cache-control': `public, max-age=${secondsLeft}`,
    etag,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-robots-tag': 'noindex',
  };
  const known = String(request.headers['if-none-match'] ?? '').split(',');
  if (known.some((one) => one.trim().replace(/^W\//, '') === etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

type Of = { site: Site; now: number };

const overOf = ({ metric, period, date_from, date_to }: Asked) => ({ metric, period, date_from, date_to });

/** Only questions that the dashboard asks, too: see over-time.ts. */
const DRAWINGS: Record<Picture, (stats: Stats, asked: Asked, of: Of) => Promise<string>> = {
  badge: async (stats, asked, of) => drawBadge(asked, (await askOverTime(stats, overOf(asked), of)).total),
  sparkline: async (stats, asked, of) => drawSparkline(asked, await askOverTime(stats, overOf(asked), of)),
  chart: async (stats, asked, of) => drawLineChart(asked, await askOverTime(stats, overOf(asked), of)),
  map: async (stats, asked, { site, now }) => {
    const { metric, ...span } = overOf(asked);
    const page = { dimension: 'country', metrics: [metric], per_page: MAX_COUNTRIES };
    const { rows } = await stats.breakdown(breakdownQuestion.parse({ site_id: site.id, ...span, ...page }), site, now);
    return drawMap(
      asked,
      rows.map(({ name, values }) => ({ name, value: values[metric] ?? 0 })),
    );
  },
  calendar: async (stats, asked, { site, now }) => {
    const today = dayIn(site.timezone ?? UTC, now);
    const week = Math.floor(((readDay(today) ?? now) - MONDAY) / WEEK_MS) * WEEK_MS + MONDAY;
    const dates = { period: 'custom', date_from: dayOf(week - (WEEKS - 1) * WEEK_MS), date_to: today };
    const question = timeseriesQuestion.parse({ site_id: site.id, ...dates, metric: asked.metric, interval: 'day' });
    const { points } = await stats.timeseries({ ...question, isForChart: false }, site, now);
    return drawCalendar(
      asked,
      points.map(({ time, value }) => ({ time, value: value ?? 0 })),
    );
  },
};

/** The first Monday after the epoch. */
const MONDAY = 4 * DAY_MS;
