// The tokens of AI agents in `footfall/server`: those whose names do not show that they are machines.
import { agents } from './ai-agents.ts';

/** Recognised without a list: see MACHINE in `tracker/server/agents.ts`. */
const SPEAKING = /bot$|bot[\d/_-]|crawl|spider|scrape|fetcher/;

export function speechlessTokens(): string[] {
  const tokens = agents.map(({ token }) => token.toLowerCase());
  return [...new Set(tokens)].filter((token) => !SPEAKING.test(token)).sort();
}

/** The content of `tracker/server/tokens.ts`, before formatting. */
export function tokensFile(command: string): string {
  return [
    '// Names of AI agents, in lower case, without an ending such as -bot that says what they are.',
    `// Generated from \`server/collect/lists/ai-agents.ts\` by \`${command}\`; do not edit.`,
    '',
    `export const tokens = ${JSON.stringify(speechlessTokens().join('|'))}.split('|');`,
    '',
  ].join('\n');
}
