// The hours of the week on a canvas, for a copied image: the page draws them as a table.
import { fade } from '../plot/colours';
import { dayMark, DAYS, HOURS, hourMark } from './week';

type Look = { colour: string; none: string; ink: string; font: string };
const [CELL_WIDTH, CELL_HEIGHT, GAP, NAMES_WIDTH, HOURS_HEIGHT] = [36, 34, 2, 44, 20];

export function drawWeek(cells: readonly number[], { colour, none, ink, font }: Look): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = (NAMES_WIDTH + HOURS.length * CELL_WIDTH) * devicePixelRatio;
  canvas.height = (HOURS_HEIGHT + DAYS.length * CELL_HEIGHT) * devicePixelRatio;
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.font = `12px ${font}`;
  context.textBaseline = 'middle';
  const most = Math.max(0, ...cells);
  for (const hour of HOURS.filter((each) => each % 3 === 0)) {
    context.fillStyle = ink;
    context.fillText(hourMark(hour), NAMES_WIDTH + hour * CELL_WIDTH + GAP, HOURS_HEIGHT / 2);
  }
  for (const day of DAYS) {
    const y = HOURS_HEIGHT + day * CELL_HEIGHT;
    context.fillStyle = ink;
    context.fillText(dayMark(day), 0, y + CELL_HEIGHT / 2);
    for (const hour of HOURS) {
      const value = cells[24 * day + hour] ?? 0;
      context.fillStyle = value > 0 ? fade(colour, shareOf(value, most)) : none;
      context.fillRect(NAMES_WIDTH + hour * CELL_WIDTH, y, CELL_WIDTH - GAP, CELL_HEIGHT - GAP);
    }
  }
  return canvas;
}

/** How much of its colour a cell has, from 0 to 1: the least value can still be told from none. */
export const shareOf = (value: number, most: number): number =>
  most > 0 ? Math.round(12 + (88 * Math.max(0, value)) / most) / 100 : 0;
