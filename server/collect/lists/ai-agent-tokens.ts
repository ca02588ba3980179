// The tokens of AI agents that `footfall/server` needs as a list: their names do not reveal that they are bots.
import { agents } from './ai-agents.ts';

/** Names that reveal a bot, which needs no list: see MACHINE in `tracker/server/agents.ts`. */
const SELF_DECLARED = /bot$|bot[\d/_-]|crawl|spider|scrape|fetcher/;

export function listedTokens(): string[] {
  const tokens = agents.map(({ token }) => token.toLowerCase());
  return [...new Set(tokens)].filter((token) => !SELF_DECLARED.test(token)).sort();
}

/** The content of `tracker/server/tokens.ts`, before formatting. */
export function tokensFile(command: string): string {
  return [
    '// Names of AI agents, in lower case, that do not reveal a bot by an ending such as -bot.',
    `// Generated from \`server/collect/lists/ai-agents.ts\` by \`${command}\`; do not edit.`,
    '',
    `export const tokens = ${JSON.stringify(listedTokens().join('|'))}.split('|');`,
    '',
  ].join('\n');
}
