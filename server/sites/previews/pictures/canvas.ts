// The canvas of a link's pictures: colours by class, so that an SVG can follow the page's light or dark mode without a script. Image proxies
// allow inline styles, and nothing from elsewhere. The renderer of PNGs knows no custom properties and no media queries.
import { currentHabits } from '../../../vocabulary/habits/habits.ts';
import { isRightToLeft } from '../../../vocabulary/habits/languages.ts';
import { t } from '../../../vocabulary/habits/messages.ts';
import type { PictureTheme } from '../../../vocabulary/settings/pictures.ts';
import { escapeXml } from '../../../vocabulary/texts/markup.ts';
import { COLOURS } from '../colours.ts';
import { FONT } from '../drawing.ts';
import { text, widthOf } from '../marks.ts';

/** The strongest step of the scale; 0 is for nothing. */
export const STRONGEST = COLOURS.light.steps.length - 1;

function rulesOf(theme: keyof typeof COLOURS): string {
  const { back, edge, ink, soft, line, wash, steps } = COLOURS[theme];
  const scale = steps.map((colour, step) => `.n${step}{fill:${colour}}`).join('');
  return `.b{fill:${back};stroke:${edge}}.g{stroke:${edge}}.i{fill:${ink}}.s{fill:${soft}}.l{fill:none;stroke:${line};stroke-linejoin:round;stroke-linecap:round}.d{fill:${line}}.w{fill:${wash}}.e{stroke:${back}}${scale}`;
}

const styleOf = (theme: PictureTheme): string =>
  theme === 'auto' ? `${rulesOf('light')}@media(prefers-color-scheme:dark){${rulesOf('dark')}}` : rulesOf(theme);

/** Attributes of a text beside what matters. */
export const SOFT = 'class="s"';

type Canvas = { width: number; height: number; theme: PictureTheme; title: string };

/** Sentences from right to left stand in the same place as others. */
const SENTENCES = 'text{unicode-bidi:plaintext}';

/** `title`: what the picture says, in words. */
export function canvas({ width, height, theme, title }: Canvas, ...parts: readonly string[]): string {
  const { language } = currentHabits();
  const spoken = language === 'en' ? '' : ` lang="${language}"`;
  const style = styleOf(theme) + (isRightToLeft(language) ? SENTENCES : '');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"${spoken} font-family="${FONT},system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"><title>${escapeXml(title)}</title><style>${style}</style>
${parts.filter(Boolean).join('\n')}
</svg>`;
}

export const card = (width: number, height: number): string =>
  `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12" class="b"/>`;

const SQUARE = 10;
const SCALE_SIZE = 11;

/** The legend of the first steps of the scale. */
export function scaleOf(steps: number, { right, bottom }: { right: number; bottom: number }): string {
  const more = t('more');
  const start = right - 8 - Math.ceil(widthOf(more, SCALE_SIZE)) - steps * (SQUARE + 2);
  const squares = Array.from(
    { length: steps },
    (_, step) =>
      `<path class="n${step}" d="M${start + step * (SQUARE + 2)} ${bottom - 9}h${SQUARE}v${SQUARE}h-${SQUARE}z"/>`,
  );
  const at = { y: bottom, size: SCALE_SIZE, anchor: 'end' as const };
  return [text(t('fewer'), { ...at, x: start - 6 }, SOFT), ...squares, text(more, { ...at, x: right }, SOFT)].join('');
}
