// A dashboard that follows questions, as the tests see it: what arrives, and the answers that it then has.
import { io as connect } from 'socket.io-client';
import { parse } from 'devalue';
import type { Difference, Json } from '../../../server/live/answer-differences.ts';
import type { Followed } from '../../../server/live/messages.ts';
import { withDifference } from '../../../src/lib/live/answer-changes.ts';
import type { TestApp } from '../app.ts';
import type { Asker } from '../accounts/callers.ts';
import { makeAsk } from '../accounts/callers.ts';
import type { Browser } from './dashboard.ts';

export type Message =
  | { topic: string; number: number; answer: Json }
  | { topic: string; number: number; difference: Difference }
  | { ended: string[] };

export async function openFollower(url: string, { headers }: Asker, siteId: string) {
  const { 'x-share-token': token, ...extraHeaders } = headers;
  const browser: Browser = connect(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders: { origin: url, ...extraHeaders },
    ...(token !== undefined && { auth: { share_token: token } }),
  });
  const heard: Message[] = [];
  const answers = new Map<string, Json>();
  browser.on('answer', (topic, number, answer) => {
    heard.push({ topic, number, answer });
    answers.set(topic, answer);
  });
  browser.on('moved', (topic, number, difference) => {
    heard.push({ topic, number, difference });
    const before = answers.get(topic);
    if (before !== undefined) answers.set(topic, withDifference(before, difference));
  });
  browser.on('ended', (ended) => heard.push({ ended }));
  const closed = new Promise<string>((resolve) => browser.on('disconnect', resolve));
  await new Promise<void>((resolve) => browser.on('connect', resolve));
  const watch = (id: string) => browser.emitWithAck('watch', id);
  await watch(siteId);
  return {
    browser,
    heard,
    answers,
    closed,
    watch,
    follow: (...questions: Followed[]) => browser.emitWithAck('follow', questions),
    /** Whatever was sent before has arrived. */
    caughtUp: () => browser.emitWithAck('watch', {} as string),
    [Symbol.dispose]: () => void browser.disconnect(),
  };
}

/** The answer to the same question over HTTP. */
export async function overHttp(server: TestApp, [path, input]: Followed, { headers }: Asker): Promise<unknown> {
  const { status, body } = await makeAsk(server)(path, input, headers);
  if (status !== 200) return status;
  const { result } = JSON.parse(body) as { result: { data: string } };
  return parse(result.data);
}
