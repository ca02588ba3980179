// The tokens of AI agents that `footfall/server` carries along: those that do not say by themselves that they are machines.
import { agents } from './ai-agents.ts';

/** Told from browsers without a list: see MACHINE in `tracker/server/agents.ts`. */
const SPEAKING = /bot$|bot[\d/_-]|crawl|spider|scrape|fetcher/;

export function speechlessTokens(): string[] {
  const tokens = agents.map(({ token }) => token.toLowerCase());
  return [...new Set(tokens)].filter((token) => !SPEAKING.test(token)).sort();
}

/** The text of `tracker/server/tokens.ts`, before it is formatted. */
export function tokensFile(command: string): string {
  return [
    '// Names under which AI agents go, lower case, where no ending such as -bot tells what they are.',
    `// Made of \`server/collect/lists/ai-agents.ts\` by \`${command}\`; do not edit.`,
    '',
    `export const tokens = ${JSON.stringify(speechlessTokens().join('|'))}.split('|');`,
    '',
  ].join('\n');
}
