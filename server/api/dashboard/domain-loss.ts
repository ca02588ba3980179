// Tells the people of an account that another one has verified a domain of theirs.
import type { Kysely } from 'kysely';
import { listMembers } from '../../accounts/people/people.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { mayDo } from '../../sites/access.ts';
import type { LostSite } from '../../sites/sites.ts';

/** Queues a mail to each person who may change the site. `db` is the transaction in which the site lost its domain. */
export async function mailLoss(
  { mail, now }: { mail: Pick<Mail, 'send'>; now(): number },
  db: Kysely<Tables>,
  { id, accountId, domain, name }: LostSite,
): Promise<void> {
  const people = await listMembers({ db }, accountId);
  for (const { userId, email, role } of people)
    if (mayDo(role, 'admin'))
      await mail.send(db, {
        kind: 'domain_lost',
        key: `domain_lost ${id} ${userId} ${now()}`,
        to: email,
        data: { domain, name },
      });
}
