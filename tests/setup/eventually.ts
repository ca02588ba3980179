// For what heals or arrives by itself a moment later: asks again until it does not throw.

export async function eventually<Result>(ask: () => Promise<Result> | Result): Promise<Result> {
  for (const giveUpAt = performance.now() + 30_000; ;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
