// Reads DATABASE_URL: one server, or several with commas between them, as libpq writes them. Each becomes an address of its own, since pg
// reads no lists.

const FORM = 'must be an address such as postgres://user:password@localhost/footfall';

/** Returns an address for each server. Throws an error whose message continues `DATABASE_URL: `. */
export function readDatabaseAddress(text: string): string[] {
  const parts =
    /^(?<start>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<path>(?:\/[^?#]*)?)(?:\?(?<query>[^#]*))?$/.exec(
      text,
    )?.groups;
  if (!parts) throw new Error(FORM);
  const { start = '', hosts = '', path = '', query = '' } = parts;
  const options = new URLSearchParams(query);
  const wanted = options.get('target_session_attrs');
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary')
    throw new Error('needs a server that accepts writes: target_session_attrs can only be read-write or primary');
  options.delete('target_session_attrs');
  const end = wanted === null ? query : String(options);
  const urls = hosts.split(',').map((host) => `${start}${host}${path}${end === '' ? '' : `?${end}`}`);
  if (!urls.every((url) => URL.canParse(url)) || (urls.length > 1 && /(^|,)(:|,|$)/.test(hosts))) throw new Error(FORM);
  return urls;
}
