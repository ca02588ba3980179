// Reads a site's robots.txt (RFC 9309), and tells what it allows the AI agents that visited the site.
import type { Failure, Outgoing } from '../../process/outgoing/client.ts';
import type { Site } from '../sites.ts';

/** RFC 9309: a crawler must read at least 500 KiB. */
export const MAX_ROBOTS = 512_000;

type Rule = { allows: boolean; path: string };
type Robots = {
  /** The user agents that the group names, in lower case. */
  agents: string[];
  rules: Rule[];
}[];

type Verdict = {
  agent: string;
  /** True if a group names the agent. Otherwise the group of `*` applies to it, if there is one. */
  is_named: boolean;
  /** How much the agent may read: everything, some of the pages, or nothing. */
  may_read: 'all' | 'some' | 'nothing';
};

type RobotsAnswer =
  | { found: 'file'; verdicts: Verdict[] }
  /** Without the file, every agent may read everything. */
  | { found: 'none'; verdicts: Verdict[] }
  | { found: 'failure'; failure: Failure | 'error_status'; verdicts: [] };

/** Consecutive `User-agent` lines start a group. A rule before the first group belongs to none. */
function readRobots(text: string): Robots {
  const groups: Robots = [];
  let isNaming = false;
  for (const line of text.slice(0, MAX_ROBOTS).split(/[\r\n]+/)) {
    const [field = '', ...rest] = (line.split('#')[0] ?? '').split(':');
    const value = rest.join(':').trim();
    const name = field.replace('\ufeff', '').trim().toLowerCase();
    if (name === 'user-agent') {
      if (!isNaming) groups.push({ agents: [], rules: [] });
      groups.at(-1)?.agents.push(tokenOf(value));
      isNaming = true;
    } else if (name === 'allow' || name === 'disallow') {
      // An empty rule matches nothing.
      if (value !== '') groups.at(-1)?.rules.push({ allows: name === 'allow', path: value });
      isNaming = false;
    }
  }
  return groups;
}

/** Crawlers compare their name in lower case and without its version. */
const tokenOf = (agent: string) => agent.trim().split(/[/\s]/)[0]?.toLowerCase() ?? '';

function verdictOf(groups: Robots, agent: string): Verdict {
  const named = groups.filter(({ agents }) => agents.includes(tokenOf(agent)));
  const rules = (named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'))).flatMap(
    (group) => group.rules,
  );
  return { agent, is_named: named.length > 0, may_read: readableUnder(rules) };
}

function readableUnder(rules: readonly Rule[]): Verdict['may_read'] {
  const isWhole = ({ path }: Rule) => /^\/?\*?$/.test(path);
  const forbidden = rules.filter(({ allows }) => !allows);
  const allowed = rules.filter(({ allows }) => allows);
  if (forbidden.length === 0) return 'all';
  if (forbidden.every(isWhole) && allowed.some(isWhole)) return 'all';
  return forbidden.some(isWhole) && allowed.length === 0 ? 'nothing' : 'some';
}

/** Checks the site's file, or the text that its owner gives. */
export async function checkRobots(
  outgoing: Pick<Outgoing, 'get'>,
  { site, text, agents }: { site: Pick<Site, 'domain'>; text?: string | undefined; agents: readonly string[] },
): Promise<RobotsAnswer> {
  const judge = (content: string) => {
    const groups = readRobots(content);
    return agents.map((agent) => verdictOf(groups, agent));
  };
  if (text !== undefined) return { found: 'file', verdicts: judge(text) };
  const { answer, failure } = await outgoing.get(`https://${site.domain}/robots.txt`, { accept: 'text/plain' });
  if (!answer) return { found: 'failure', failure, verdicts: [] };
  if (answer.status >= 500) return { found: 'failure', failure: 'error_status', verdicts: [] };
  if (answer.status >= 400) return { found: 'none', verdicts: judge('') };
  return { found: 'file', verdicts: judge(answer.body.toString('utf8')) };
}
