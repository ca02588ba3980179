// /footfall-gtm.tpl: the template for Google Tag Manager, which may load the script of this server and of no other.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import type { StaticFiles } from '../../process/http/static.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** The address in plugins/gtm/footfall.tpl. */
const PLACEHOLDER = 'https://stats.example.com';

export function openTagTemplate(files: StaticFiles, originOf: (request: IncomingMessage) => string) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    checkIsRead(request, response);
    const { tagTemplate } = files;
    if (tagTemplate === undefined) throw new Refusal('not_found', t('The template is not built: run `npm run build`.'));
    response.writeHead(200, {
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="footfall.tpl"',
      'cache-control': 'no-cache',
    });
    response.end(request.method === 'HEAD' ? undefined : tagTemplate.replaceAll(PLACEHOLDER, originOf(request)));
  };
}
