// Tells whoever runs the server of a newer release, if they have named an address that knows (UPDATE_URL). Without one, nothing is ever asked.
// The request says nothing about the server but what every request says.
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Directory } from '../directory/open.ts';
import type { Log } from '../process/log.ts';
import { openOutgoing } from '../process/outgoing/client.ts';
import type { Network } from '../process/outgoing/network.ts';
import { isNewer, isReleased } from '../vocabulary/texts/version.ts';
import manifest from '../../package.json' with { type: 'json' };

type Release = { version: string; page: string };

export type Releases = {
  /** Asks once. Another server that is away or says something else is a line in the log. */
  check(now: number): Promise<void>;
  /** The newest release that is known, if this server runs an older one. */
  newer(): Promise<Release | undefined>;
  /** Ends the request that is under way. */
  close(): void;
};

type Options = {
  directory: Directory;
  config: Pick<Config, 'UPDATE_URL'>;
  network: Network | undefined;
  log: Log;
};

/** A release may list many files. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1_048_576, maxAtOnce: 1 };

/** As GitHub, Gitea and Forgejo answer. */
const answered = z.object({
  tag_name: z
    .string()
    .transform((tag) => tag.replace(/^v/, ''))
    .refine(isReleased),
  html_url: z.url({ protocol: /^https?$/ }).max(2_048),
});

export function openReleases({ directory: { db }, config: { UPDATE_URL: url }, network, log }: Options): Releases {
  const stop = new AbortController();
  const outgoing = openOutgoing({ ...LIMITS, reach: 'any', stop: stop.signal, ...(network && { network }) });

  async function check(now: number): Promise<void> {
    if (url === undefined) return;
    const { answer, failure } = await outgoing.get(url, { accept: 'application/json' });
    if (stop.signal.aborted) return;
    const found = answer?.status === 200 && !answer.isCut ? readRelease(answer.body.toString()) : undefined;
    if (!found) {
      log.warn({ failure, status: answer?.status }, 'UPDATE_URL did not say which release is the newest');
      return;
    }
    const { tag_name: version, html_url: page } = found;
    const row = { version, page, found_at: now };
    const known = await db.selectFrom('releases').select('version').where('version', '=', version).executeTakeFirst();
    if (known) return;
    await db
      .insertInto('releases')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    if (isNewer(version, manifest.version)) log.info({ version, page }, 'a newer release of Footfall is available');
  }

  return {
    check,
    newer: async () => {
      if (url === undefined) return undefined;
      const rows = await db.selectFrom('releases').select(['version', 'page']).execute();
      const [newest] = rows.sort((one, other) => (isNewer(one.version, other.version) ? -1 : 1));
      return newest && isNewer(newest.version, manifest.version) ? newest : undefined;
    },
    close: () => stop.abort(),
  };
}

function readRelease(text: string) {
  try {
    return answered.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}
