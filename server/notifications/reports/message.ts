// A report as a message to webhooks: the words of its mail for Slack and Discord, and its numbers for everybody else.
import type { Row } from '../../messages/mail/content.ts';
import { pathOfReport } from '../../messages/mail/number-mails.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Message } from '../../messages/webhooks/messages.ts';
import type { Report } from './definitions.ts';
import type { Edition } from './letter.ts';
import type { Span } from './schedule.ts';

export function messageOf(
  { id, name, site_id, frequency, viewed: { metric, segment, filters } }: Report,
  span: Span,
  { mail, numbers }: Edition,
): Message {
  const isOfSite = site_id !== null;
  const lines = mail.blocks.flatMap((block) =>
    block.kind === 'table' ? ['', block.title, ...block.rows.map(lineOf)] : [],
  );
  return {
    type: 'report',
    title: `${mail.title} of ${mail.site}, ${mail.days}`,
    lines: [...(name === mail.site ? [] : [name]), ...mail.sentences, ...lines],
    path: pathOfReport(mail),
    data: {
      report_id: id,
      name,
      frequency,
      date_from: dayOf(span.from),
      date_to: dayOf(span.to - DAY_MS),
      domain: isOfSite ? mail.site : null,
      segment: segment ?? null,
      filters,
      metric,
      ...numbers,
    },
  };
}

const lineOf = ({ name, value, change }: Row): string => `${name}: ${value}${change?.text ? ` (${change.text})` : ''}`;
