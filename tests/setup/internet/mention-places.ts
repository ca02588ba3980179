// The places where mentions are found, as one local server that answers what was recorded; feeds are on a simulated internet.
// `await using places = await openMentionPlaces()`.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MENTION_PLACE_NAMES, type MentionPlace } from '../../../server/vocabulary/settings/mentions.ts';
import { openInternet } from './internet.ts';
import { RECORDED } from './mention-answers.ts';

export const FEED = 'http://news.example/feed.xml';

export type Answer = { status?: number; headers?: Record<string, string>; body?: string };
type Asked = { place: MentionPlace; url: string; headers: IncomingMessage['headers'] };

/** A place answers what `answers` has, or else what was recorded. `env` makes a server ask here. */
export async function openMentionPlaces() {
  const answers: Partial<Record<MentionPlace, Answer>> = {};
  const asked: Asked[] = [];
  const hooks = { onAsked: () => {} };
  function reply(place: MentionPlace, { headers: sent }: IncomingMessage, response: ServerResponse): void {
    const { status = 200, headers = {}, body = RECORDED[place].body } = answers[place] ?? {};
    const isKnown = sent['if-none-match'] !== undefined && sent['if-none-match'] === headers['etag'];
    response.writeHead(isKnown ? 304 : status, headers).end(isKnown ? undefined : body);
  }
  const server = createServer((request, response) => {
    const [, name = '', ...path] = (request.url ?? '').split('/');
    const place = MENTION_PLACE_NAMES.find((one) => one === name);
    if (!place) return void response.writeHead(500).end();
    asked.push({ place, url: `/${path.join('/')}`, headers: request.headers });
    hooks.onAsked();
    reply(place, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const internet = await openInternet((request, response) => {
    asked.push({ place: 'feed', url: request.url ?? '', headers: request.headers });
    reply('feed', request, response);
  });
  const named = MENTION_PLACE_NAMES.filter((place) => place !== 'feed');
  return {
    answers,
    asked,
    hooks,
    network: internet.network,
    port,
    env: Object.fromEntries(
      named.map((place) => [`MENTIONS_${place.toUpperCase()}_URL`, `http://127.0.0.1:${port}/${place}/`]),
    ),
    async [Symbol.asyncDispose]() {
      await internet[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
