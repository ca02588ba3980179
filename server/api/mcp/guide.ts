// The part of /docs about assistants: how to add this server to the usual ones, and which tools they then have.
import { TOOLS } from './tools.ts';
import { MCP_PATH } from './address.ts';

const KEY = 'ff_…';

/** Returns Markdown. `base` is the origin of this server. */
export function describeAssistants(base: string): string {
  const url = `${base}${MCP_PATH}`;
  const bearer = `Bearer ${KEY}`;
  return `## Assistants (MCP)

Assistants that speak the Model Context Protocol can ask for the numbers of your sites at \`${url}\`, over streamable HTTP with the same key: \`Authorization: ${bearer}\`. Their tools only read, give the same numbers and errors as the operations below, and use up the same rate limit. A key reads every site of the account, so create one for the assistant, and revoke it when you stop using it.

The tools are ${[...TOOLS.keys()].map((name) => `\`${name}\``).join(', ')}.

${[
  described(
    'Claude Code',
    'Run in a terminal:',
    `claude mcp add --transport http footfall ${url} --header "Authorization: ${bearer}"`,
  ),
  described(
    'Claude Desktop',
    'Its connectors cannot send a key. The program `mcp-remote`, which needs Node.js, can: under Settings, Developer, Edit Config, add this to `claude_desktop_config.json`, and start Claude Desktop again.',
    json({
      mcpServers: {
        footfall: {
          command: 'npx',
          args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${FOOTFALL_KEY}'],
          env: { FOOTFALL_KEY: bearer },
        },
      },
    }),
  ),
  described(
    'Cursor',
    'Add this to `.cursor/mcp.json` in your home folder, for all projects:',
    json({ mcpServers: { footfall: { url, headers: { Authorization: bearer } } } }),
  ),
  described(
    'VS Code',
    'Run the command “MCP: Open User Configuration”, and add this. VS Code then asks for the key, and keeps it.',
    json({
      inputs: [{ type: 'promptString', id: 'footfall-key', description: 'Footfall API key', password: true }],
      servers: { footfall: { type: 'http', url, headers: { Authorization: 'Bearer ${input:footfall-key}' } } },
    }),
  ),
  described(
    'ChatGPT and the OpenAI API',
    'Connectors of ChatGPT sign in with OAuth or not at all. They cannot send a key, so ChatGPT cannot use this server. Programs can, with a tool of the Responses API:',
    json({
      type: 'mcp',
      server_label: 'footfall',
      server_url: url,
      headers: { Authorization: bearer },
      require_approval: 'never',
    }),
  ),
].join('\n\n')}

Assistants of a company’s cloud reach this server only if the internet does. Those on your own machine reach it as your browser does.`;
}

function described(name: string, how: string, code: string): string {
  return `<details><summary>${name}</summary>\n\n${how}\n\n\`\`\`\n${code}\n\`\`\`\n\n</details>`;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
