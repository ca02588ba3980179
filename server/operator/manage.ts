// The operator's command line: `npm run manage -- account create …`. It works on the configured stores, even while the server runs. The
// last line on stdout is the result as JSON, which no language changes, except for what is drawn for people. Errors are sentences on stderr.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError, readEnvironment, terminalLanguage } from '../config.ts';
import { keepMemoryOutOfDumps } from '../process/core-dumps.ts';
import { prepareDataFolder, SECURITY_FILE } from '../process/data-folder.ts';
import { habitsOfAddress, inHabits } from '../process/habits.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { openLog } from '../process/log.ts';
import { openSecurityLog, type SecurityEvents } from '../process/security-log.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { accountCommands } from './account-commands.ts';
import {
  type Command,
  type Context,
  helpOf,
  overview,
  readOptions,
  silenceOf,
  Text,
  type Touched,
  Usage,
} from './command-line.ts';
import { goalCommands } from './goal-commands.ts';
import { mailCommands } from './mail-commands.ts';
import { shareCommands } from './share-commands.ts';
import { statsCommand } from './stats-command.ts';
import { storeCommands } from './store-commands.ts';

export { Usage };

export const COMMANDS: Command[] = [
  ...accountCommands,
  ...goalCommands,
  ...shareCommands,
  ...mailCommands,
  statsCommand,
  ...storeCommands,
];

/** Finds the command, checks its options and runs it. Throws a Usage for wrong arguments. */
export async function manage(args: string[], context: Context): Promise<unknown> {
  const row = COMMANDS.find(({ name }) => name.split(' ').every((word, n) => args[n] === word));
  const rest = args.slice(row?.name.split(' ').length ?? 0);
  if (args.length === 0 || rest.includes('--help') || rest.includes('-h'))
    return { help: row ? helpOf(row) : overview(COMMANDS) };
  if (!row) throw new Usage(t('There is no command "{command}".', { command: args.filter(isWord).join(' ') }));
  const options = await readOptions(row, rest);
  const touched: Touched = {};
  const outcome = await row.run(options, { ...context, touched }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  const said = { command: row.name, outcome: 'error' in outcome ? 'refused' : 'done', ...touched } as const;
  if (!row.onlyReads) await noteCommand(said, context);
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

const isWord = (argument: string) => !argument.startsWith('-');

/**
 * Lets the running server write the line to its security log, where operators look for it. Without a running server, the line goes to a
 * file in DATA_DIR. If it cannot be written, the command still succeeds, and says so.
 */
async function noteCommand(said: SecurityEvents['command'], { config, now, say }: Context): Promise<void> {
  const { askServer } = await import('./control-socket.ts');
  const told = await askServer(config.DATA_DIR, 'note', said, () => undefined).catch(() => undefined);
  if (told) return;
  try {
    await prepareDataFolder(config.DATA_DIR);
    let line = '';
    const log = openLog('info', { write: (text) => (line += text) });
    openSecurityLog({ log, now: () => now }).note('command', said);
    await appendFile(join(config.DATA_DIR, SECURITY_FILE), line, { mode: 0o600 });
  } catch (error) {
    if (said.outcome === 'done')
      say(
        t('The command is done, but its line could not be written to {file} in DATA_DIR: {reason}', {
          file: SECURITY_FILE,
          reason: String(error),
        }),
      );
  }
}

type Outcome = { code: number; stdout: string; stderr: string };

/** What a command prints, and its exit code. Remarks are given to `say` before, as lines of stderr. */
export async function outcomeOf(
  args: string[],
  { readConfig, say }: { readConfig: () => Config; say: (text: string) => void },
): Promise<Outcome> {
  try {
    const result = await manage(args, { config: readConfig(), now: Date.now(), say });
    const help = typeof result === 'object' && result !== null && 'help' in result ? String(result.help) : undefined;
    const text = result instanceof Text ? result.text : help;
    return { code: 0, stdout: result === undefined ? '' : `${text ?? JSON.stringify(result)}\n`, stderr: '' };
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${sentenceOf(error)}\n` };
  }
}

async function main(): Promise<void> {
  process.umask(0o077); // as the server does
  keepMemoryOutOfDumps();
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const { code, stdout, stderr } = await outcomeOf(process.argv.slice(2), { readConfig: readEnvironment, say });
  if (stdout !== '') process.stdout.write(stdout);
  if (stderr !== '') process.stderr.write(stderr);
  if (code !== 0) process.exitCode = code;
}

function sentenceOf(error: unknown): string {
  if (error instanceof Usage) return t('{problem} See --help.', { problem: error.message });
  if (error instanceof ConfigError || error instanceof Refusal) return error.message;
  if (error instanceof Unavailable)
    return `${silenceOf(error)} ${error.cause instanceof Error ? error.cause.message : ''}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error); // a bug of ours: fixing it needs the stack
}

// Node before 24.2 does not say which module is the program: it must not end in silence.
if (import.meta.main ?? true) await inHabits(habitsOfAddress(terminalLanguage()), main);
