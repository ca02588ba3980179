// For what heals or arrives by itself a moment later: asks again until it does not throw.

export async function eventually<Result>(
  ask: () => Promise<Result> | Result,
  { withinMs = 30_000, everyMs = 10 } = {},
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
