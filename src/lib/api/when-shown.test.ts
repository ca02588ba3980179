import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeatWhileShown, whenShown } from './when-shown';

let page: EventTarget & { visibilityState: string };

beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function turn(visibilityState: 'hidden' | 'visible'): void {
  page.visibilityState = visibilityState;
  page.dispatchEvent(new Event('visibilitychange'));
  vi.advanceTimersByTime(0);
}

test('a page that is shown acts after the time, and a hidden one once when it is shown again', () => {
  const act = vi.fn();
  whenShown(act, 1000);
  vi.advanceTimersByTime(999);
  expect(act).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(1);

  turn('hidden');
  whenShown(act, 1000);
  vi.advanceTimersByTime(60_000);
  expect(act).toHaveBeenCalledTimes(1);
  turn('visible');
  turn('hidden');
  turn('visible');
  expect(act).toHaveBeenCalledTimes(2);
});

test('nothing happens once it is cancelled: before the time, while the page is hidden, and while it is shown again', () => {
  const act = vi.fn();
  whenShown(act, 1000)();
  vi.advanceTimersByTime(1000);
  turn('hidden');
  const cancel = whenShown(act, 1000);
  vi.advanceTimersByTime(1000);
  cancel();
  turn('visible');
  vi.advanceTimersByTime(60_000);
  expect(act).not.toHaveBeenCalled();
});

test('what repeats asks nothing while the page is hidden, and ends', () => {
  const act = vi.fn();
  const end = repeatWhileShown(act, 1000, 100);
  vi.advanceTimersByTime(2100);
  expect(act).toHaveBeenCalledTimes(3);
  turn('hidden');
  vi.advanceTimersByTime(10_000);
  expect(act).toHaveBeenCalledTimes(3);
  turn('visible');
  expect(act).toHaveBeenCalledTimes(4);
  end();
  vi.advanceTimersByTime(10_000);
  expect(act).toHaveBeenCalledTimes(4);
});
