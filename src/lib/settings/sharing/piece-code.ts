// The code that shows a piece of a shared dashboard in a page of somebody else.
import { texts } from '../../../../server/vocabulary/habits/messages.ts';
import { metricRow } from '../../../../server/vocabulary/numbers/metrics.ts';
import { dimensionRow } from '../../../../server/vocabulary/questions/dimensions.ts';
import {
  type AskedPiece,
  heightOfPiece,
  metricsOfPiece,
  piecePath,
  pieceRow,
  type PieceTheme,
} from '../../../../server/vocabulary/settings/pieces.ts';
import { isPicture, picturePath, USUAL_PICTURE } from '../../../../server/vocabulary/settings/pictures.ts';
import { escapeXml } from '../../../../server/vocabulary/texts/markup.ts';

export const PLACES = { html: 'HTML', notion: 'Notion', wordpress: 'WordPress', markdown: 'Markdown' } as const;
export type Place = keyof typeof PLACES;

/** What to do with the code. */
export const HOW: Record<Place, string> = texts({
  html: 'Put this where the piece belongs. The script fits its height and its colours to your page, and needs no cookie.',
  notion: 'Type /embed in Notion and paste this address. The link must allow *.notion.so and www.notion.so.',
  wordpress: 'Add a block “Custom HTML” and paste this into it.',
  markdown: 'Markdown shows no live pieces: this is a picture of the numbers that leads to the dashboard.',
});

type Wanted = {
  /** Of the link. */
  address: string;
  asked: AskedPiece;
  theme: PieceTheme;
  /** Of the funnel. */
  steps?: number | undefined;
};

export const addressOfPiece = ({ address, asked, theme }: Omit<Wanted, 'steps'>): string =>
  `${address}${piecePath(asked, theme)}`;

export function codeFor(place: Place, wanted: Wanted): string {
  const { address, asked, steps } = wanted;
  const source = addressOfPiece(wanted);
  const title = titleOf(asked);
  // Attributes alone: the strictest policies of pages allow no styles.
  const frame = `<iframe src="${escapeXml(source)}" title="${escapeXml(title)}" width="100%" height="${heightOfPiece(asked, steps)}" frameborder="0" loading="lazy"></iframe>`;
  switch (place) {
    case 'html':
      return pieceRow(asked.piece).page === undefined
        ? `${frame}\n<script async src="${new URL(address).origin}/embed.js"></script>`
        : frame;
    case 'notion':
      return source;
    case 'wordpress':
      return frame;
    case 'markdown': {
      const picture = pictureOf(wanted);
      return picture ? `[![${title}](${address}/${picture})](${address})` : `[${title}](${address})`;
    }
  }
}

function titleOf({ piece, metric, dimension }: AskedPiece): string {
  if (piece === 'list' && dimension) return dimensionRow(dimension).label;
  const { options, label } = pieceRow(piece);
  const shown = metric ?? metricsOfPiece(piece)[0];
  return options.includes('metric') && shown ? metricRow(shown).label : label;
}

/** The picture that shows the same, if there is one. */
function pictureOf({ asked, theme }: Wanted): string | undefined {
  const { metric = USUAL_PICTURE.metric, period = USUAL_PICTURE.period, lang } = asked;
  const picture = asked.piece === 'figure' ? 'badge' : asked.piece;
  return isPicture(picture) ? picturePath({ picture, format: 'svg', metric, period, theme, lang }) : undefined;
}
