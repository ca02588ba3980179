// A fatal signal may write a core dump. Visitors' addresses are in memory, and must not get into a file.
import { writeFileSync } from 'node:fs';

/** For this process and those that it starts. */
export function keepMemoryOutOfDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Only Linux has this file. Other systems write no dumps unless the operator allows them.
  }
}
