// The errors of ClickHouse and of connections to it: which of them a retry may mend, and which it never will.
import type { ClickHouseError } from '@clickhouse/client';
import { Unavailable } from '../errors.ts';

/** Thrown for rows that the store will never accept, such as a value outside a column's range. */
export class RowsRefused extends Error {}

/** ClickHouse's error names for values that do not fit: a retry cannot help. */
const REFUSED =
  /CANNOT_PARSE|INCORRECT_DATA|TYPE_MISMATCH|OUT_OF_BOUND|TOO_LARGE|CANNOT_CONVERT|DECIMAL_OVERFLOW|UNEXPECTED_END|NO_SUCH_COLUMN/;
/** ClickHouse's error names for a full disk, or for a busy or restarting server: a retry may help. */
const TEMPORARY =
  /TIMEOUT|MEMORY_LIMIT|NOT_ENOUGH_SPACE|TOO_MANY|NETWORK|SOCKET|CANNOT_(WRITE|OPEN|ALLOCATE|FSYNC|READ_FROM)|ABORTED|SHUTDOWN|READONLY|FILE_DOESNT_EXIST/;
/** ClickHouse's error names for a question that takes more than one may. A smaller one may be answered; one that takes too long may meet a busy server. */
const OVER_LIMIT = /^(?:MEMORY_LIMIT_EXCEEDED|TOO_MANY_ROWS\w*)$/;
/** The same of a cluster: a replica or Keeper is away, so too few replicas confirm an insert or answer a question. */
const OF_CLUSTER =
  /UNKNOWN_STATUS_OF_INSERT|TOO_FEW_LIVE_REPLICAS|QUORUM|READ_ONLY|KEEPER|ZOOKEEPER|CONNECTION_TRIES_FAILED|NO_REMOTE_SHARD|NO_ACTIVE_REPLICAS|REPLICAS_ARE_STALE|NO_REPLICA_HAS_PART|UNFINISHED/;
/** Matched in the message, since this failure has many names, such as EPOLL_ERROR and CANNOT_PIPE. */
const OUT_OF_DESCRIPTORS = /Too many open files/;

export function translate(error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  if (isNetworkError(error)) return new Unavailable('events', error);
  if (!isClickHouseError(error)) return error;
  const type = error.type ?? '';
  if (OUT_OF_DESCRIPTORS.test(error.message)) return new Unavailable('events', error);
  if (REFUSED.test(type)) return new RowsRefused(error.message, { cause: error });
  return TEMPORARY.test(type) || OF_CLUSTER.test(type) ? new Unavailable('events', error) : error;
}

/** Whether fewer rows at once may be answered, of an error that `translate` returned. */
export function isOverLimit(error: unknown): boolean {
  if (!(error instanceof Unavailable) || !isClickHouseError(error.cause)) return false;
  return OVER_LIMIT.test(error.cause.type ?? '');
}

/** TRICKY: chDB ships a second copy of the client's error class, so `instanceof` would miss its errors. */
export function isClickHouseError(error: unknown): error is ClickHouseError {
  return error instanceof Error && error.constructor.name === 'ClickHouseError';
}

export function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error) || isClickHouseError(error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return (
    /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST)/.test(code) || /timeout|socket hang up/i.test(error.message)
  );
}
