// /unsubscribe/TOKEN: the address in mails that people can unsubscribe from. Reading it shows a page that asks, because mail scanners open
// links. A POST unsubscribes, whoever sends it: mail programs do that when people click their own button (RFC 8058). A DELETE takes that
// back, which only the recipient can do.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { isRead, sendJson } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { TOPICS } from '../../messages/mail/content.ts';
import { UNSUBSCRIBE_PATH } from '../../messages/mail/unsubscribe.ts';
import type { Services } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export function openUnsubscribe({ services, files }: { services: Services; files: StaticFiles }) {
  const { mail, wrongTokens, addressHashOf } = services;
  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    if (isRead(request)) {
      files.app(request, response);
      return;
    }
    if (request.method !== 'POST' && request.method !== 'DELETE') {
      response.setHeader('allow', 'GET, HEAD, POST, DELETE');
      throw new Refusal('method_not_allowed', t('The method must be GET, HEAD, POST or DELETE.'));
    }
    const token = url.pathname.slice(UNSUBSCRIBE_PATH.length);
    const act = request.method === 'POST' ? mail.unsubscribe : mail.resubscribe;
    const topic = await act(token).catch(async (error: unknown) => {
      if (error instanceof Refusal)
        await wrongTokens.count('unsubscribe_token', { token, addressHash: () => addressHashOf(request) });
      throw error;
    });
    sendJson(response, 200, { data: { topic, about: TOPICS[topic] } });
  };
}
