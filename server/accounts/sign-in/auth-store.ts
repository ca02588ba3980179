// Adapts the directory to better-auth, which uses Dates, booleans and session tokens. The tables hold milliseconds, 0 or 1, and only
// hashes of tokens, so that a stolen database lets nobody sign in.
import { kyselyAdapter } from '@better-auth/kysely-adapter';
import type { BetterAuthOptions, DBAdapter, DBTransactionAdapter, Where } from 'better-auth/types';
import {
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PrimitiveValueListNode,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from 'kysely';
import { hashToken } from '../../directory/ids.ts';
import type { Tables } from '../../directory/schema.ts';

const INSTANTS = ['created_at', 'updated_at', 'expires_at'];
const FLAGS = ['email_verified'];

/** Our names for better-auth's tables and columns. */
export const AUTH_MODELS = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  session: {
    modelName: 'sessions',
    fields: {
      userAgent: 'agent',
      userId: 'user_id',
      expiresAt: 'expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
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

export function authStore(db: Kysely<Tables>): (options: BetterAuthOptions) => DBAdapter {
  // `postgres` for both databases: it makes better-auth pass Dates and booleans, which the plugin converts.
  const open = kyselyAdapter(db.withPlugin(new PlainValues()), { type: 'postgres' });
  return (options) => {
    const store = open(options);
    const transaction: DBAdapter['transaction'] = (work) =>
      store.transaction((inner) => work({ ...inner, ...hashingTokens(inner) }));
    return { ...store, ...hashingTokens(store), transaction };
  };
}

type Calls = Omit<DBTransactionAdapter, 'id' | 'createSchema' | 'options'>;

/** The same calls, with session tokens hashed before they reach the database. Rows are returned with the token that the caller sent. */
function hashingTokens(store: Calls): Calls {
  const hashed = <Call extends { model: string; where?: Where[] | undefined }>(call: Call): Call =>
    call.model === SESSION && call.where ? { ...call, where: call.where.map(hashCondition) } : call;
  const shown = <Row>(row: Row, where: Where[] | undefined): Row => {
    const token = where?.find(({ field }) => field === TOKEN)?.value;
    return row && typeof token === 'string' ? { ...row, [TOKEN]: token } : row;
  };
  return {
    create: async (call) => {
      const token: unknown = call.data[TOKEN];
      if (call.model !== SESSION || typeof token !== 'string') return store.create(call);
      const row = await store.create({ ...call, data: { ...call.data, [TOKEN]: hashToken(token) } });
      return { ...row, [TOKEN]: token } as never;
    },
    findOne: async (call) => shown(await store.findOne(hashed(call)), sessionTerms(call)),
    findMany: (call) => store.findMany(hashed(call)),
    count: (call) => store.count(hashed(call)),
    update: async (call) => shown(await store.update(hashed(call)), sessionTerms(call)),
    updateMany: (call) => store.updateMany(hashed(call)),
    delete: (call) => store.delete(hashed(call)),
    deleteMany: (call) => store.deleteMany(hashed(call)),
    consumeOne: async (call) => shown(await store.consumeOne(hashed(call)), sessionTerms(call)),
    incrementOne: async (call) => shown(await store.incrementOne(hashed(call)), sessionTerms(call)),
  };
}

const SESSION = 'session';
const TOKEN = 'token';

function sessionTerms(call: { model: string; where: Where[] }): Where[] | undefined {
  return call.model === SESSION ? call.where : undefined;
}

function hashCondition(condition: Where): Where {
  if (condition.field !== TOKEN) return condition;
  const { value } = condition;
  if (Array.isArray(value)) return { ...condition, value: value.map((token) => hashToken(String(token))) };
  return { ...condition, value: hashToken(String(value)) };
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
