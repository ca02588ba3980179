// The setting of a site's page for its visitors, /share/DOMAIN/privacy: whether there is one, and what only its owner can say.
import { z } from 'zod';
import { t } from '../../vocabulary/habits/messages.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';

const MAX_CONTACT = 500;

/** `contact`: a text of several lines, an e-mail address, or the address of a page. `opt_out_page`: path of a page of the site with the box of `/foot.js?opt-out`. */
export const transparency = z.strictObject({
  shown: z.boolean(),
  contact: z
    .string()
    .trim()
    .max(MAX_CONTACT, { error: () => t('must have at most {most} characters', { most: MAX_CONTACT }) })
    .regex(/^[^\p{Cc}\p{Cf}]*(?:\r?\n[^\p{Cc}\p{Cf}]*)*$/u, { error: () => t('must not have control characters') }),
  opt_out_page: z
    .string()
    .trim()
    .max(MAX_ADDRESS)
    .regex(/^(?:\/[^\s\p{Cc}\\]*)?$/u, { error: () => t('must be the path of a page of this site, such as /privacy') }),
});
type Transparency = z.output<typeof transparency>;

const OFF: Transparency = { shown: false, contact: '', opt_out_page: '' };

/** A site has no page until its owner switches it on. */
export const transparencyIn = (settings: Readonly<Record<string, unknown>>): Transparency =>
  transparency.safeParse(settings['transparency']).data ?? OFF;
