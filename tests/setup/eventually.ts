// Retries an assertion until it passes: for things that arrive or recover a moment later.

export async function eventually<Result>(
  ask: () => Promise<Result> | Result,
  { withinMs = 120_000, everyMs = 10 } = {},
): Promise<Result> {
  for (const giveUpAt = performance.now() + withinMs; ;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}
