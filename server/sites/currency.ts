// The currency of a site's revenue. Anybody can send a payment, so the first payment only proposes its currency to the owner.
import type { SiteId } from '../vocabulary/event.ts';
import type { Directory } from '../directory/open.ts';

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
/** Above nearly every real order, but low enough that a forged one cannot distort the revenue much. */
export const DEFAULT_MAX_AMOUNT = 100_000;

/** True if the code is in ISO 4217. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

const proposed = new WeakMap<Directory, Set<SiteId>>();
const MAX_PROPOSED = 10_000;

/**
 * Proposes a payment's currency if the site has neither a currency nor a proposal. If the owner's language suggests it, nobody has to confirm it.
 * Queries the database once per site and process.
 */
export async function proposeCurrency(
  directory: Directory,
  payment: { site_id: SiteId; currency: string },
): Promise<void> {
  const known = proposed.get(directory) ?? new Set<SiteId>();
  proposed.set(directory, known);
  if (known.has(payment.site_id) || !isCurrency(payment.currency)) return;
  if (known.size >= MAX_PROPOSED) known.clear();
  known.add(payment.site_id);
  try {
    const { site_id, currency } = payment;
    await directory.db
      .updateTable('sites')
      .set((eb) => ({
        proposed_currency: currency,
        currency: eb.case().when('expected_currency', '=', currency).then(currency).end(),
      }))
      .where('id', '=', site_id)
      .where('currency', 'is', null)
      .where('proposed_currency', 'is', null)
      .execute();
  } catch (error) {
    known.delete(payment.site_id);
    throw error;
  }
}
