// The code with which a site's server reports AI agents, for each kind of server. Text that is shown, never run.
import { t } from '../../../../server/vocabulary/habits/messages.ts';

type Form = { name: string; label: string; where: string; code: string };

/** Uses the address of the current version, whose content never changes, so that lock files stay valid. */
export async function installLine(signal: AbortSignal): Promise<string> {
  const { ok, url } = await fetch('/footfall.tgz', { method: 'HEAD', signal });
  if (!ok) throw new Error(t('The package is not built.'));
  return `npm install ${url}`;
}

export function agentForms(domain: string, origin: string): Form[] {
  const options = (token: string) => `{
  site: '${domain}',
  server: '${origin}',
  token: ${token},
}`;
  return [
    {
      name: 'express',
      label: 'Express',
      where: t('Before your routes. The same works for Connect.'),
      code: `import { nodeMiddleware } from 'footfall/server';

app.use(nodeMiddleware(${options('process.env.FOOTFALL_TOKEN')}));`,
    },
    {
      name: 'node',
      label: 'Node',
      where: t('As the first thing in the request listener.'),
      code: `import { nodeMiddleware } from 'footfall/server';

const footfall = nodeMiddleware(${options('process.env.FOOTFALL_TOKEN')});

createServer((request, response) => {
  footfall(request, response);
  // …
});`,
    },
    {
      name: 'sveltekit',
      label: 'SvelteKit',
      where: t('In src/hooks.server.ts. Use sequence() to combine it with other hooks.'),
      code: `import { svelteHandle } from 'footfall/server';
import { FOOTFALL_TOKEN } from '$env/static/private';

export const handle = svelteHandle(${options('FOOTFALL_TOKEN')});`,
    },
    {
      name: 'cloudflare',
      label: 'Cloudflare',
      where: t('In a Worker, even one that only sits in front of another server.'),
      code: `import { fetchHandler } from 'footfall/server';

export default {
  fetch: fetchHandler((request) => fetch(request), (env) => (${options('env.FOOTFALL_TOKEN')})),
};`,
    },
    {
      name: 'any',
      label: t('Any other'),
      where: t('Once for each page that an agent requested, or up to 100 in one list. Never send an IP address.'),
      code: `curl ${origin}/foot -H 'Authorization: Bearer FOOTFALL_TOKEN' -H 'Content-Type: application/json' -d '{
  "site": "${domain}",
  "url": "https://${domain}/pricing",
  "user_agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  "status": 200
}'`,
    },
  ];
}
