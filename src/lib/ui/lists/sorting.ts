// Tables that are sorted by their headings.

type Sorted = { by: string; direction: 'asc' | 'desc' };

/** The order after a click on the heading: first `usual`, then the other way round. */
export function turned<By extends string>(sorted: Sorted, by: By, usual: Sorted['direction']) {
  const other = usual === 'asc' ? 'desc' : 'asc';
  const direction: Sorted['direction'] = sorted.by === by && sorted.direction === usual ? other : usual;
  return { by, direction };
}

export function ariaSort(sorted: Sorted, by: string): 'none' | 'ascending' | 'descending' {
  if (sorted.by !== by) return 'none';
  return sorted.direction === 'asc' ? 'ascending' : 'descending';
}
