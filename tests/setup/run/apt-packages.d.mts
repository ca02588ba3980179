// Types of apt-packages.mjs, which stays plain JavaScript for Node 20.

export function findProgram(name: string): string | undefined;
export function missingPackages(): string[];
export function installMissing(): Promise<void>;
