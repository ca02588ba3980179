// Reloads a page that is of another version than the server, as soon as nothing is lost by it. Its scripts may be gone from the server,
// and it may misread the messages of the socket.
import { version } from '$app/environment';
import { page, updated } from '$app/state';
import { nextReload, rememberReload } from './reload-pause';

/** How often a page that should reload looks whether it may. */
const LOOK_EVERY_MS = 500;
/** While servers are updated one after another, each answer may come from another one: only so many in a row tell that all are updated. */
const ANSWERS = 5;
/** The pause before they are asked again. */
const ASK_EVERY_MS = 10_000;
/** Dashboards and lists of sites keep their state in the address. Other pages may show something only once, as a new key. */
const IS_IN_ADDRESS = /^\/\(app\)(\/\[domain\](\/live)?)?$|^\/share\//;
/** A dialog that only says that it could not be loaded has nothing to lose. */
const DIALOG = 'dialog[open]:not(:has(.body > .placeholder[role=alert]:only-child))';
const TEXT = 'textarea, input:not([type=checkbox], [type=radio], [type=range])';

/** Text fields into which somebody has typed. */
let typed: (HTMLInputElement | HTMLTextAreaElement)[] = [];
let isBehind = false;
let isAsking = false;
/** When they may be asked again, as time of this page. */
let askAt = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Call this with the version of the server to which the socket is connected. */
export const compareVersion = (ofServer: string): void => setBehind(ofServer !== version);

function setBehind(value: boolean): void {
  isBehind = value;
  clearInterval(timer);
  if (!isBehind) return;
  timer = setInterval(reloadIfAsked, LOOK_EVERY_MS);
  reloadIfAsked();
}

/** From now on this page notices what is typed, where it goes, and parts of it that cannot be loaded. */
export function followUpdates(): void {
  addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)
      if (target.matches(TEXT) && !typed.includes(target)) typed.push(target);
  });
  addEventListener('vite:preloadError', () => {
    void updated.check().then((isOther) => isOther && setBehind(true));
  });
  let at = page.url.href;
  $effect.root(() => {
    $effect(() => {
      if (page.url.href === at) return;
      at = page.url.href;
      if (isBehind) void reload();
    });
  });
}

function reloadIfAsked(): void {
  if (IS_IN_ADDRESS.test(page.route.id ?? '')) void reload();
}

async function reload(): Promise<void> {
  if (isAsking || performance.now() < askAt || isBusy() || !nextReload(Date.now())) return;
  isAsking = true;
  askAt = performance.now() + ASK_EVERY_MS;
  const areOther = await areAllOther();
  isAsking = false;
  const next = nextReload(Date.now());
  if (areOther && isBehind && !isBusy() && next && rememberReload(next)) location.reload();
}

async function areAllOther(): Promise<boolean> {
  for (let asked = 0; asked < ANSWERS; asked += 1) if (!(await updated.check())) return false;
  return true;
}

function isBusy(): boolean {
  typed = typed.filter((field) => field.isConnected && field.value !== '');
  return typed.length > 0 || document.querySelector(DIALOG) !== null;
}
