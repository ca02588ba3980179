// Groups rows by each of several values in one pass.

/** `part`: SQL that names the value. `sql`: of the value itself. */
type Grouped = { part: string; sql: string };

/**
 * Rows have `part` and `label`, the name and the value of one of `values`. `keys`: columns for the rows to group. `alsoBy`: columns that group all
 * of them.
 */
export function groupedByEach(values: readonly Grouped[], alsoBy: readonly string[] = []) {
  const ofKey = (sqlOf: (value: Grouped, index: number) => string) =>
    `multiIf(${values.flatMap((value, index) => [`grouping(key_${index}) = 0`, sqlOf(value, index)]).join(', ')}, '')`;
  return {
    keys: values.map(({ sql }, index) => `${sql} AS key_${index}`),
    labels: [`${ofKey(({ part }) => part)} AS part`, `${ofKey((_, index) => `toString(key_${index})`)} AS label`],
    groupBy: `GROUP BY GROUPING SETS (${values.map((_, index) => `(${[`key_${index}`, ...alsoBy].join(', ')})`).join(', ')})`,
  };
}
