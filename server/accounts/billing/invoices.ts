// The invoices of an account, as Stripe has them.
import type { Directory } from '../../directory/open.ts';
import { toMajorUnits } from './currencies.ts';
import { customerOf } from './customers.ts';
import type { StripeClient } from './stripe.ts';

export type Invoice = {
  id: string;
  number: string | null;
  created_at: number;
  /** In whole units of the currency, with tax. */
  total: number;
  currency: string;
  state: 'paid' | 'open' | 'void' | 'uncollectible';
  /** The invoice's page at Stripe, where an open one can be paid. */
  url: string | null;
  pdf: string | null;
};

const SHOWN = 24;
const STATES: readonly string[] = ['paid', 'open', 'void', 'uncollectible'] satisfies Invoice['state'][];

/** Returns the newest invoices first. Drafts are left out: they may still change. */
export async function listInvoices(
  { directory, client }: { directory: Directory; client: StripeClient },
  accountId: string,
): Promise<Invoice[]> {
  const row = await customerOf(directory, accountId);
  if (!row) return [];
  const list = await client.find(client.stripe.invoices.list({ customer: row.customer_id, limit: SHOWN }));
  return (list?.data ?? []).flatMap((invoice) =>
    STATES.includes(invoice.status ?? '')
      ? {
          id: invoice.id,
          number: invoice.number,
          created_at: invoice.created * 1000,
          total: toMajorUnits(invoice.total, invoice.currency),
          currency: invoice.currency.toUpperCase(),
          state: invoice.status as Invoice['state'],
          url: invoice.hosted_invoice_url ?? null,
          pdf: invoice.invoice_pdf ?? null,
        }
      : [],
  );
}
