// Types of footfall.mjs, which stays plain JavaScript for packages.

export function run(
  args: string[],
  outside: {
    env: Record<string, string | undefined>;
    write(text: string): unknown;
    complain(text: string): unknown;
    isTerminal: boolean;
    sleep(ms: number): Promise<unknown>;
  },
): Promise<number>;
