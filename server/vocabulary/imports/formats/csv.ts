// Any other CSV with a column of dates and one of counts. Headings in four languages propose what the columns are; a mapping by hand goes before.
import { openColumns, proposeColumns } from './columns.ts';
import type { Format } from './format.ts';

export const csv: Format = {
  product: 'CSV',
  csv: { kind: 'sums', open: (head, { mapping }) => openColumns(head, proposeColumns(head, mapping)) },
};
