// Shared by the benchmarks that ask what a dashboard asks: its client, without a browser.
import { createTRPCClient, httpBatchStreamLink } from '@trpc/client';
import { parse, stringify } from 'devalue';
import type { AppRouter } from '../server/api/dashboard/router.ts';

/** `cookie`: of a session. Questions of one tick share a request, as in the dashboard. */
export function dashboardApi(url: string, cookie: string) {
  const transformer = { serialize: stringify, deserialize: parse };
  return createTRPCClient<AppRouter>({
    links: [httpBatchStreamLink({ url: `${url}/trpc`, transformer, headers: { cookie } })],
  });
}
