// Generates the list of AI agents for `footfall/server`: the tokens that its own pattern for machines does not recognise.
import { agents } from './ai-agents.ts';

/** Recognised without a list: see MACHINE in `tracker/server/agents.ts`. */
const SPEAKING = /bot$|bot[\d/_-]|crawl|spider|scrape|fetcher/;

export function speechlessTokens(): string[] {
  const tokens = agents.map(({ token }) => token.toLowerCase());
  return [...new Set(tokens)].filter((token) => !SPEAKING.test(token)).sort();
}

/** The text of `tracker/server/tokens.ts`, before formatting. */
export function tokensFile(command: string): string {
  return [
    '// Names of AI agents that have no ending such as -bot, in lower case.',
    `// Made from \`server/collect/lists/ai-agents.ts\` by \`${command}\`; do not edit.`,
    '',
    `export const tokens = ${JSON.stringify(speechlessTokens().join('|'))}.split('|');`,
    '',
  ].join('\n');
}
