// What exports are called, and how far they are.
import { t, texts } from '../../../../server/vocabulary/habits/messages.ts';
import { numberFormat } from '../../../../server/vocabulary/habits/formatters.ts';
import type { ExportKind } from '../../../../server/vocabulary/settings/exports.ts';
import type { Export } from '../../api/types';
import { ownDateAndTime } from '../../formats/format';

export const KIND_WORDS: Record<ExportKind, { name: string; about: string }> = texts({
  open: {
    name: 'Tables, as CSV and Parquet',
    about:
      'A ZIP file with daily numbers, events, goals and settings, without visitor ids. Another Footfall can import its daily numbers.',
  },
  sealed: {
    name: 'Sealed, for another Footfall',
    about:
      'Moves every visit to another Footfall. The file is encrypted: only who holds the key that you enter can read it.',
  },
});

const sizes = numberFormat({ maximumSignificantDigits: 3 });
/** Bytes, as in 12.3 MB. */
function sizeWords(bytes: number): string {
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, 'KB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${sizes(size)} ${unit}`;
}

export function exportWords({ state, kind, bytes, kept_until }: Export): string {
  const form = kind === 'open' ? t('Tables') : t('Sealed');
  if (state === 'waiting') return `${form} · ${t('Waiting to start')}`;
  if (state === 'making') return `${form} · ${t('In progress. You can leave this page.')}`;
  if (state === 'failed') return `${form} · ${t('This export failed. Delete it and try again.')}`;
  const until = new Date(kept_until ?? 0).getTime();
  const kept = t('Kept until {time}', { time: ownDateAndTime(until) });
  return `${form} · ${sizeWords(bytes)} · ${kept}`;
}
