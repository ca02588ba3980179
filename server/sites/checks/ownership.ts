// Finds out who owns a domain. On a server where anybody can sign up, two accounts may want the same one: then it belongs to the account that proves
// that the domain is its own, by a token in its DNS, on its front page or in a file.
import { createHmac } from 'node:crypto';
import { hostOf } from '../../vocabulary/texts/url.ts';
import { getFromHost } from '../../process/outgoing/by-host.ts';
import type { Answer, Outgoing } from '../../process/outgoing/client.ts';
import { readHtml } from '../../process/outgoing/html.ts';
import type { Network } from '../../process/outgoing/network.ts';
import type { Claim } from '../domains/claims.ts';
import { OWNERSHIP } from '../../vocabulary/settings/ownership.ts';

/** `other`: there is a token, but not this account's. `redirected`: the answer came from another host. */
type Seen = 'found' | 'missing' | 'other' | 'redirected' | 'no_answer';
type Way = 'dns' | 'page' | 'file';

const TXT_MS = 5_000;
const HEAD = new Set(['html', 'head', 'meta', 'title', 'link', 'script', 'style', 'base', 'noscript']);

export type Ownership = {
  tokenOf(claim: Claim): string;
  /** Looks for the account's token in each place. Never rejects. */
  check(claim: Claim): Promise<Record<Way, Seen>>;
};

/** `secret` makes the tokens. They are the same in all processes and need no table. */
export function openOwnership(options: {
  outgoing: Outgoing;
  network: Pick<Network, 'resolveTxt'>;
  secret: string;
}): Ownership {
  const { outgoing, network, secret } = options;
  const tokenOf = ({ accountId, domain }: Claim) =>
    createHmac('sha256', secret).update(`${accountId} ${domain}`).digest('hex').slice(0, 32);

  async function seenInDns(domain: string, token: string): Promise<Seen> {
    try {
      const records = await network.resolveTxt(domain, AbortSignal.timeout(TXT_MS));
      const prefix = `${OWNERSHIP.name}=`;
      const tokens = records.map((text) => text.trim()).filter((text) => text.startsWith(prefix));
      return judge(
        tokens.map((text) => text.slice(prefix.length)),
        token,
      );
    } catch {
      return 'no_answer';
    }
  }

  async function seenAt(domain: string, path: string, tokensIn: (answer: Answer) => string[], token: string) {
    const { answer } = await getFromHost(outgoing, { host: domain, path, accept: 'text/html,text/plain,*/*;q=0.1' });
    if (!answer) return 'no_answer';
    // A redirect of somebody's choice, such as /login?next=…, proves nothing.
    if (![domain, `www.${domain}`].includes(hostOf(answer.url))) return 'redirected';
    if (answer.status >= 500) return 'no_answer';
    return answer.status >= 400 ? 'missing' : judge(tokensIn(answer), token);
  }

  return {
    tokenOf,
    async check(claim) {
      const token = tokenOf(claim);
      const [dns, page, file] = await Promise.all([
        seenInDns(claim.domain, token),
        seenAt(claim.domain, '/', ({ body }) => tokensOfPage(body.toString('utf8')), token),
        seenAt(claim.domain, OWNERSHIP.path, ({ body }) => tokensOfFile(body.toString('utf8')), token),
      ]);
      return { dns, page, file };
    },
  };
}

const judge = (tokens: readonly string[], token: string): Seen => {
  if (tokens.includes(token)) return 'found';
  return tokens.length > 0 ? 'other' : 'missing';
};

/** Tokens in the head alone: comments and posts of other people stand in the body. */
function tokensOfPage(html: string): string[] {
  const tokens: string[] = [];
  let isHead = true;
  readHtml(html, {
    onOpen: (name, attributes) => {
      isHead &&= HEAD.has(name);
      if (isHead && name === 'meta' && attributes['name']?.trim().toLowerCase() === OWNERSHIP.name)
        tokens.push((attributes['content'] ?? '').trim());
    },
  });
  return tokens;
}

/** A server may answer any address with a page, which is no token. */
function tokensOfFile(text: string): string[] {
  const token = text.trim();
  return /^[0-9a-f]{32}$/.test(token) ? [token] : [];
}
