// The directory as better-auth sees it. It speaks in Dates and booleans; the tables hold milliseconds and 0 or 1.
import { kyselyAdapter } from '@better-auth/kysely-adapter';
import {
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from 'kysely';
import type { Tables } from './schema.ts';

const INSTANTS = ['created_at', 'updated_at', 'expires_at'];
const FLAGS = ['email_verified'];

/** better-auth's tables and columns under our names. */
export const AUTH_MODELS = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'sessions',
    fields: { userId: 'user_id', expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  account: {
    modelName: 'credentials',
    fields: {
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} as const;

export function authStore(db: Kysely<Tables>): ReturnType<typeof kyselyAdapter> {
  // `postgres` for both: it stands for a database that takes Dates and booleans as they are, which the plugin makes true.
  return kyselyAdapter(db.withPlugin(new PlainValues()), { type: 'postgres' });
}

class PlainValues implements KyselyPlugin {
  readonly #transformer = new PlainParameters();

  transformQuery({ node, queryId }: Parameters<KyselyPlugin['transformQuery']>[0]): RootOperationNode {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return Promise.resolve({ ...result, rows: result.rows.map(richRow) });
  }
}

class PlainParameters extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: plain(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...node, values: node.values.map(plain) };
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'boolean' ? Number(value) : value;
}

function richRow(row: UnknownRow): UnknownRow {
  const rich = { ...row };
  for (const name of INSTANTS) if (typeof rich[name] === 'number') rich[name] = new Date(rich[name]);
  for (const name of FLAGS) if (typeof rich[name] === 'number') rich[name] = rich[name] === 1;
  return rich;
}
