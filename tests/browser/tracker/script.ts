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

const vitalsConfig = fileURLToPath(new URL('../../../tracker/vitals/vite.config.ts', import.meta.url));

/** What measures speed, and what loads it, built from the current sources. */
export async function builtVitals(): Promise<{ script: string; loader: string }> {
  const result = await build({ configFile: vitalsConfig, build: { write: false } });
  const files = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  const codeOf = (name: string) =>
    files.flatMap((file) => (file.type === 'chunk' && file.fileName === name ? file.code : []))[0] ?? '';
  return { script: codeOf('foot-vitals.js'), loader: codeOf('vitals-loader.js') };
}

const errorsConfig = fileURLToPath(new URL('../../../tracker/errors/vite.config.ts', import.meta.url));

/** What tells of errors, built from the current sources. */
export const builtErrors = (): Promise<string> => firstChunk({ configFile: errorsConfig, build: { write: false } });
