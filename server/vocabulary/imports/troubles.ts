// Why files cannot be imported, in sentences for the person who chose them. Files are read by a worker, which knows nobody's language: it tells what the
// trouble is, and the page says it.
import { t } from '../habits/messages.ts';
import { fullNumber } from '../numbers/format.ts';
import type { FormatName } from './formats/formats.ts';
import { PRODUCTS } from './products.ts';

type Named = { name: string };
/** A file beside others, and what it is. */
type Recognised = Named & { format: FormatName; kind: 'hits' | 'sums' };

const recognised = ({ name, format, kind }: Recognised): string =>
  kind === 'hits'
    ? t('“{name}” ({product}, single hits)', { name, product: PRODUCTS[format] })
    : t('“{name}” ({product}, daily sums)', { name, product: PRODUCTS[format] });

const productsRead = (): string =>
  (Object.keys(PRODUCTS) as FormatName[])
    .filter((format) => format !== 'csv' && format !== 'access-log')
    .map((format) => PRODUCTS[format])
    .join(', ');

const SENTENCES = {
  no_files: () => t('Choose at least one file.'),
  many_files: ({ most }: { most: number }) => t('Choose at most {most} files at once.', { most: fullNumber(most) }),
  several_sites: ({ sites }: { sites: string }) =>
    t(
      'This export has several sites ({sites}), and none of them is this one. Unpack it, and choose the files of one site.',
      { sites },
    ),
  mixed: ({ first, other }: { first: Recognised; other: Recognised }) =>
    t('{file} and {other} do not belong together. Import them one after the other.', {
      file: recognised(first),
      other: recognised(other),
    }),
  same_log: ({ name, other }: Named & { other: string }) =>
    t('“{other}” and “{name}” begin with the same lines. Choose only one of them.', { name, other }),
  unknown: ({ name }: Named) =>
    t(
      '“{name}” is not an export that Footfall knows. It reads those of {products}, access logs of web servers, and any CSV with a column of dates and one of counts.',
      { name, products: productsRead() },
    ),
  sealed_in_zip: ({ name }: Named) =>
    t('“{name}” is a sealed export inside a zip. Unpack it, and choose the file of this site.', { name }),
  sealed: ({ name }: Named) => t('“{name}” is a sealed export. Choose it alone.', { name }),
  archive: ({ name }: Named) => t('“{name}” is an archive. Unpack it first, and choose what is in it.', { name }),
  archive_in_zip: ({ name }: Named) =>
    t('“{name}” is an archive inside a zip. Unpack it first, and choose what is in it.', { name }),
  empty: ({ name }: Named) => t('“{name}” is empty.', { name }),
  no_rows: ({ name }: Named) => t('“{name}” holds no rows.', { name }),
  not_a_log: ({ name }: Named) => t('“{name}” is not an access log in a format that Footfall knows.', { name }),
  long_head: ({ name, kilobytes }: Named & { kilobytes: number }) =>
    t('The first line of “{name}” is longer than {kilobytes} KB, so its columns are not known.', { name, kilobytes }),
  many_columns: ({ name, columns, most }: Named & { columns: number; most: number }) =>
    t('“{name}” has {columns} columns. At most {most} are read.', {
      name,
      columns: fullNumber(columns),
      most: fullNumber(most),
    }),
  other_product: ({ name, format }: Named & { format: FormatName }) =>
    t('“{name}” is not an export of {product}.', { name, product: PRODUCTS[format] }),
  damaged: ({ name }: Named) => t('“{name}” is damaged. Download it again, and try once more.', { name }),
  incomplete: ({ name }: Named) => t('“{name}” is not complete. Download it again, and try once more.', { name }),
  damaged_archive: ({ name }: Named) =>
    t('“{name}” is damaged or not complete. Download it again, and try once more.', { name }),
  many_entries: ({ name, most }: Named & { most: number }) =>
    t('“{name}” holds more than {most} files, which no export does.', { name, most: fullNumber(most) }),
  encrypted: ({ name }: Named) =>
    t('“{name}” is protected by a password. Unpack it first, and choose what is in it.', { name }),
  empty_zip: ({ name }: Named) => t('“{name}” is an empty zip.', { name }),
  bomb: ({ name }: Named) => t('“{name}” unpacks to far more than it is, which no export does.', { name }),
  zstd_window: ({ name }: Named) =>
    t(
      '“{name}” was packed with a dictionary, or with a window of more than 128 MB. Unpack it first, and choose what is in it.',
      { name },
    ),
  broken_quotes: ({ name, line }: Named & { line: number }) =>
    t('“{name}” cannot be read from line {line} on: its quotation marks are broken.', { name, line }),
  long_records: ({ name }: Named) =>
    t('“{name}” cannot be read: too many of its records are longer than 64 KB.', { name }),
  many_names: ({ name }: Named) =>
    t('“{name}” names more pages and sources than fit into memory, so it cannot be imported.', { name }),
  custom_dump: ({ name }: Named) =>
    t("“{name}” is a dump in PostgreSQL's own form. Dump it with pg_dump --format=plain.", { name }),
  dump_of_inserts: ({ name, line }: Named & { line: number }) =>
    t('“{name}” has INSERT statements in line {line}. Dump it without --inserts and --column-inserts.', { name, line }),
  dump_without_table: ({ name, table }: Named & { table: string }) =>
    t('“{name}” is a dump of PostgreSQL without the table {table}.', { name, table }),
  wrong_target: ({ target, targets }: { target: string; targets: string }) =>
    t('A column cannot become “{target}”. It can become {targets}.', { target, targets }),
  many_sessions: ({ name, most }: Named & { most: number }) =>
    t(
      '“{name}” has more than {most} sessions, which is too many to join. Write the joined table to a CSV: “Moving here” in the documentation says how.',
      { name, most: fullNumber(most) },
    ),
  many_session_values: ({ name, most }: Named & { most: number }) =>
    t(
      '“{name}” has more than {most} values of sessions, which is too many to join. Write the joined table to a CSV: “Moving here” in the documentation says how.',
      { name, most: fullNumber(most) },
    ),
  goatcounter_version: ({ name, version }: Named & { version: string }) =>
    t("“{name}” is of version {version} of GoatCounter's export. Footfall reads version 1.", { name, version }),
  umami_table: ({ name }: Named) => t("“{name}” has a table website_event that is not Umami's.", { name }),
  umami_websites: ({ name, line }: Named & { line: number }) =>
    t('“{name}” has hits of several websites, and line {line} does not say of which. Dump the table website too.', {
      name,
      line,
    }),
  plausible_dashboard: ({ name }: Named) =>
    t(
      "“{name}” is from the Export button of Plausible's dashboard, which has no days of pages and sources. Use the export in Plausible's Site settings, under Imports & Exports.",
      { name },
    ),
};

type Sentences = typeof SENTENCES;
type Told<What extends keyof Sentences> = { what: What } & (Parameters<Sentences[What]> extends [infer Values]
  ? Values
  : unknown);
/** What keeps files from being imported, as it is told from the worker to the page. */
export type Trouble = { [What in keyof Sentences]: Told<What> }[keyof Sentences];

export const wordsOf = (trouble: Trouble): string => (SENTENCES[trouble.what] as (values: Trouble) => string)(trouble);
