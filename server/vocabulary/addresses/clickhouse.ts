// Reads CLICKHOUSE_URL: one server, or several hosts of a cluster.

const SEVERAL = /^(?<start>https?:\/\/(?:[^/?#@]*@)?)(?<hosts>[^/?#@]+)(?<rest>(?:[/?#].*)?)$/;

/** Returns one address for each host of `http://user:password@host:8123,host:8123/database`. Throws an error whose message continues `CLICKHOUSE_URL `. */
export function addressesOf(url: string): string[] {
  const { start = '', hosts = '', rest = '' } = SEVERAL.exec(url)?.groups ?? {};
  const addresses = hosts.split(',').map((host) => `${start}${host}${rest}`);
  if (hosts.split(',').includes('') || !addresses.every((address) => URL.canParse(address)))
    throw new Error('must be an address such as http://user:password@localhost:8123/footfall');
  return addresses;
}

/** Returns a sentence if the address and the cluster do not go together. */
export function mistakeIn(url: string | undefined, cluster: string | undefined): string | undefined {
  if (cluster !== undefined && url === undefined)
    return 'CLICKHOUSE_CLUSTER: needs CLICKHOUSE_URL, with some hosts of the cluster.';
  if (cluster === undefined && url !== undefined && addressesOf(url).length > 1)
    return 'CLICKHOUSE_URL: several hosts are those of a cluster: set CLICKHOUSE_CLUSTER to its name.';
  return undefined;
}
