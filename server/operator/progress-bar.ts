// A progress bar on a terminal. Prints nothing if stderr goes to a file.
import type { WriteStream } from 'node:tty';
import { t } from '../vocabulary/habits/messages.ts';
import { fullNumber, percent } from '../vocabulary/numbers/format.ts';

const WIDTH = 30;

export function progressBar(stream: WriteStream): (progress: { done: number; total: number }) => void {
  let shown = '';
  return ({ done, total }) => {
    if (!stream.isTTY) return;
    const part = total === 0 ? 1 : done / total;
    const full = Math.floor(part * WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}`;
    const counts = t('{done} of {total}', { done: fullNumber(done), total: fullNumber(total) });
    const text = `${bar} ${percent(Math.floor(part * 100)).padStart(5)}  ${counts}`;
    if (text === shown) return;
    shown = text;
    stream.write(`\r${text}${done >= total ? '\n' : ''}`);
  };
}
