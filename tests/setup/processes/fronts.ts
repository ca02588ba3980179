// How many fronts of workers a test file's apps have, if they do not say so themselves: `withFronts(2)` before another file is imported
// runs its tests once more behind workers.
let usual = 0;

export function withFronts(count: number): void {
  usual = count;
}

export const usualFronts = (): number => usual;
