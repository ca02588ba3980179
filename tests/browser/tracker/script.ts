// The script as it ships, built from the current sources.
import { fileURLToPath } from 'node:url';
import { type InlineConfig, type Plugin, build } from 'vite';

const configFile = fileURLToPath(new URL('../../../tracker/vite.config.ts', import.meta.url));

let script: Promise<string> | undefined;

export const builtScript = (): Promise<string> => (script ??= buildScript());

export async function buildScript(plugins: Plugin[] = []): Promise<string> {
  return firstChunk({ configFile, plugins, build: { write: false } });
}

export async function firstChunk(config: InlineConfig): Promise<string> {
  const result = await build(config);
  for (const { output } of [result].flat() as { output: { type: string; code?: string }[] }[])
    for (const file of output) if (file.type === 'chunk' && file.code) return file.code;
  throw new Error('The build gave no script.');
}
