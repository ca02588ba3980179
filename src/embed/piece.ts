// A piece of a shared dashboard in a frame: keeps what the server has drawn up to date, tells the page around it its height, and takes its theme from
// it. Without this script the piece stays as it arrived.
import { io, type Socket } from 'socket.io-client';
import type { ClientMessages, Followed, ServerMessages } from '../../server/live/messages.ts';
import type { Json } from '../../server/live/answer-differences.ts';
import { followHabits, habitsHere } from '../../server/vocabulary/habits/habits.ts';
import { followMessages, type Messages, t } from '../../server/vocabulary/habits/messages.ts';
import { shortNumber } from '../../server/vocabulary/numbers/format.ts';
import { FEWEST } from '../../server/vocabulary/settings/privacy.ts';
import type { AskedPiece } from '../../server/vocabulary/settings/pieces.ts';
import { rowsNow, WALL_LIST_NAMES } from '../../server/vocabulary/settings/wall.ts';
import { barRows } from '../../server/vocabulary/texts/bar-rows.ts';
import { withDifference } from '../lib/live/answer-changes.ts';
import { NOTHING, orderOf, withHead, withList } from '../lib/live/feed.ts';

/** A piece that nobody sees is told nothing after this time. */
const REST_AFTER_MS = 5000;
const AGAIN_MS = 30_000;

const root = document.documentElement;
const main = document.querySelector('main') as HTMLElement;
const { token = '', question = '{}', messages = '{}', version } = main.dataset;
const asked = JSON.parse(question) as AskedPiece & { site_id: string };
const isNow = asked.piece === 'live' || asked.piece === 'wall';
const habits = habitsHere(asked.lang ? [asked.lang] : []);
followHabits(() => habits);
const said = JSON.parse(messages) as Messages;
followMessages(() => said);

type Trusting = { createPolicy(name: string, rules: { createHTML(html: string): string }): typeof policy };
const { trustedTypes } = globalThis as { trustedTypes?: Trusting };
/** Only the server's own drawings, and rows whose words are escaped, become elements. */
const policy: { createHTML(html: string): string } = trustedTypes?.createPolicy('footfall-piece', {
  createHTML: (html) => html,
}) ?? { createHTML: (html) => html };

function put(element: Element | null, html: string): void {
  if (element) element.innerHTML = policy.createHTML(html);
}

type Drawn = { title: string; head: string; body: string; more?: string[] };
let sections: readonly string[] = [];

function draw({ title, head, body, more = [] }: Drawn): void {
  // Once the first message has come, messages tell who is there now.
  if (!isNow || last === undefined) {
    document.title = title;
    main.setAttribute('aria-label', title);
    put(document.getElementById('head'), head);
    put(document.getElementById('body'), body);
  }
  const shown = document.getElementById('more')?.children;
  more.forEach((html, index) => {
    const element = shown?.[index];
    if (element && html !== sections[index]) element.outerHTML = policy.createHTML(html);
  });
  sections = more;
  drawLists();
}

const socket: Socket<ServerMessages, ClientMessages> = io({
  transports: ['websocket'],
  protocols: [`share.${token}`],
  reconnectionDelayMax: 30_000,
});
let topic: string | undefined;
let number: number | undefined;
let answer: Json | undefined;
/** The last message about the site; undefined while its whole state is awaited. */
let last: number | undefined;
let now = NOTHING;

function watch(): void {
  last = undefined;
  if (socket.connected && !document.hidden) socket.emit('watch', asked.site_id, (isWatching) => isWatching && follow());
}

function follow(): void {
  if (asked.piece === 'live') return;
  const path = 'shares.piece';
  const one: Followed = topic === undefined || number === undefined ? [path, asked] : [path, asked, topic, number];
  socket.emit('follow', [one], ([begun]) => {
    if (begun === topic) return;
    topic = begun ?? undefined;
    number = undefined;
    if (begun === null) setTimeout(follow, AGAIN_MS);
  });
}

function keep(next: number, whole: Json): void {
  [number, answer] = [next, whole];
  draw(whole as Drawn);
}

socket.on('connect', watch);
socket.on('disconnect', (reason) => {
  if (reason === 'io server disconnect') setTimeout(() => socket.connect(), AGAIN_MS);
});
socket.on('answer', (of, next, whole) => {
  topic = of;
  keep(next, whole);
});
socket.on('moved', (of, next, difference) => {
  if (of !== topic || number === undefined) return;
  if (next === number + 1) return keep(next, withDifference(answer, difference));
  number = undefined;
  follow();
});
socket.on('ended', () => {
  topic = number = undefined;
  setTimeout(watch, AGAIN_MS);
});
// The server then says why, where the piece was.
socket.on('refused', () => location.reload());
socket.on('version', (ofServer) => {
  // Not at once: servers may be updated one after another.
  if (version && ofServer !== version) setTimeout(() => location.reload(), AGAIN_MS);
});
/** Messages about who is there are numbered one after the other, whichever a piece shows. */
function takes(next: number, site_id: string | undefined): boolean {
  if (!isNow) return false;
  const order = orderOf({ number: next, site_id }, last);
  if (order === 'lost') watch();
  if (order === 'lost' || order === 'early') return false;
  last = next;
  return true;
}
socket.on('live', (next, current, minutes, site_id) => {
  if (!takes(next, site_id)) return;
  now = withHead(now, [current, minutes]);
  const words = current === null ? t('fewer than {fewest}', { fewest: FEWEST }) : shortNumber(current);
  const shown = document.querySelector('.total b');
  if (shown) shown.textContent = words;
  main.setAttribute('aria-label', (document.title = t('Visitors now: {count}', { count: words })));
  drawBars(now.minutes);
});

socket.on('list', (next, list, rows, _, site_id) => {
  if (!takes(next, site_id)) return;
  now = withList(now, [list, rows], { isWhole: site_id !== undefined });
  drawLists();
});

/** The lists of who is there now, and those of the day in their place while nobody is. */
function drawLists(): void {
  if (asked.piece !== 'wall' || last === undefined) return;
  const today = [...document.querySelectorAll('.sources [data-day] bdi')].map((name) => name.textContent);
  const lists = rowsNow(now, today);
  for (const name of WALL_LIST_NAMES) {
    const [ofNow, ofDay] = document.querySelectorAll<HTMLElement>(`.${name} > div`);
    if (!ofNow || !ofDay) continue; // the link leaves it out
    put(ofNow.querySelector('ol'), barRows(lists[name], shortNumber));
    ofNow.hidden = lists[name].length === 0;
    ofDay.hidden = !ofNow.hidden;
  }
}

/** As the server has drawn them: see `drawNow`. */
function drawBars(minutes: readonly number[]): void {
  const most = Math.max(1, ...minutes);
  document.querySelectorAll('.minutes rect').forEach((bar, index) => {
    const high = Math.max(2, (60 * (minutes[index] ?? 0)) / most);
    bar.setAttribute('y', (60 - high).toFixed(1));
    bar.setAttribute('height', high.toFixed(1));
  });
}

let resting: ReturnType<typeof setTimeout> | undefined;
addEventListener('visibilitychange', () => {
  clearTimeout(resting);
  if (document.hidden) resting = setTimeout(() => socket.connected && socket.emit('rest'), REST_AFTER_MS);
  else watch();
});

if (parent === window) root.style.colorScheme = root.dataset['theme'] ?? 'light dark'; // a page of its own has a back

const tellHeight = () => parent.postMessage({ footfall: Math.ceil(main.getBoundingClientRect().height) }, '*');
new ResizeObserver(tellHeight).observe(main);
addEventListener('message', ({ source, data }: MessageEvent<{ footfall?: unknown } | null>) => {
  const theme = data?.footfall;
  if (source === parent && !('fixed' in root.dataset) && (theme === 'light' || theme === 'dark'))
    root.dataset['theme'] = theme;
});
