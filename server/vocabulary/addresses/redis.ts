// Reads REDIS_URL: one server, the servers of Redis Cluster, or the Sentinels that know which server is the master.

export type ServerAddress = { host: string; port: number };
/** What a connection needs besides its server. */
export type Access = { tls: boolean; username?: string; password?: string; database?: number };

export type RedisAddress =
  | { kind: 'single'; url: string }
  | { kind: 'cluster'; servers: ServerAddress[]; access: Access }
  | {
      kind: 'sentinel';
      servers: ServerAddress[];
      /** The name of the group of servers, such as `mymaster`. */
      name: string;
      access: Access;
      sentinelAccess: Access;
    };

const PORTS = { cluster: 6379, sentinel: 26_379 };
const FORMS =
  'must be an address such as redis://localhost:6379, redis+cluster://host:6379,host:6379 or redis+sentinel://host:26379,host:26379/mymaster';

/** Throws an error whose message continues `REDIS_URL `. */
export function readRedisAddress(text: string): RedisAddress {
  const parts =
    /^(?<secure>rediss?)(?:\+(?<kind>cluster|sentinel))?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/.exec(
      text,
    )?.groups;
  const { secure, kind, user, hosts = '', path = '', query = '' } = parts ?? {};
  if (!parts) throw new Error(FORMS);
  if (kind !== 'cluster' && kind !== 'sentinel') {
    if (!URL.canParse(text) || hosts.includes(',')) throw new Error(FORMS);
    return { kind: 'single', url: text };
  }
  const servers = hosts.split(',').map((host) => readServer(host, PORTS[kind]));
  const tls = secure === 'rediss';
  const [username, ...rest] = (user ?? '').split(':').map(decodeURIComponent);
  const password = rest.join(':');
  const access: Access = { tls, ...(username && { username }), ...(password && { password }) };
  if (kind === 'cluster') {
    if (path !== '' || query !== '') throw new Error('names only servers for Redis Cluster, which has no databases');
    return { kind, servers, access };
  }
  const [name = '', database, more] = path.split('/').map(decodeURIComponent);
  if (name === '' || more !== undefined)
    throw new Error('must end with the name of the master, such as redis+sentinel://host:26379,host:26379/mymaster');
  if (database !== undefined && !/^\d{1,4}$/.test(database)) throw new Error('must end with the number of a database');
  const sentinelPassword = readQuery(query);
  return {
    kind,
    servers,
    name,
    access: { ...access, ...(database !== undefined && { database: Number(database) }) },
    sentinelAccess: { tls, ...(sentinelPassword && { password: sentinelPassword }) },
  };
}

function readServer(text: string, defaultPort: number): ServerAddress {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined;
  if (!url || url.username !== '' || url.pathname !== '/') throw new Error(FORMS);
  const [, port] = /:(\d+)$/.exec(text) ?? []; // URL drops the port 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: port === undefined ? defaultPort : Number(port) };
}

function readQuery(query: string): string | undefined {
  const asked = new URLSearchParams(query);
  // what is unknown may be part of a password: it is not shown
  if ([...asked.keys()].some((name) => name !== 'sentinel_password'))
    throw new Error('has an unknown option: there is only sentinel_password, in which & is written as %26');
  return asked.get('sentinel_password') ?? undefined;
}
