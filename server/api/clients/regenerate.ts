// Writes the clients for the API anew, after a change of an operation: `node server/api/clients/regenerate.ts`. A test fails until then.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { pythonClient } from './python.ts';
import { typescriptOperations } from './typescript.ts';

const COMMAND = 'node server/api/clients/regenerate.ts';
const root = join(import.meta.dirname, '../../..');

/** Every client by its path, as it should be. */
export async function generatedClients(): Promise<Record<string, string>> {
  const typescript = join(root, 'tracker/api/operations.ts');
  const python = join(root, 'plugins/python/footfall.py');
  const options = { ...(await resolveConfig(typescript)), parser: 'typescript' };
  return {
    [typescript]: await format(typescriptOperations(COMMAND), options),
    [python]: pythonClient(readFileSync(python, 'utf8'), COMMAND),
  };
}

if (process.argv[1] === import.meta.filename)
  for (const [file, text] of Object.entries(await generatedClients())) writeFileSync(file, text);
