// A real mail server for a test: `await using smtp = await startSmtp()`. It keeps what it takes, and refuses what the test says.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type Received = {
  from: string;
  to: string[];
  raw: string;
  /** By lower-case name, unfolded. Encoded words stay encoded. */
  headers: Map<string, string>;
  text: string;
  html: string;
};

type Smtp = AsyncDisposable & { url: string; port: number; mails: Received[] };

type Behaviour = {
  /** An SMTP code such as 450 refuses a recipient. */
  refuse?: (recipient: string) => number | undefined;
  options?: SMTPServerOptions;
};

export async function startSmtp({ refuse, options }: Behaviour = {}): Promise<Smtp> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => {
      const code = refuse?.(address);
      if (code === undefined) done();
      else done(Object.assign(new Error('not now or never'), { responseCode: code }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom ? mailFrom.address : '';
        mails.push({ from, to: rcptTo.map(({ address }) => address), ...readMail(Buffer.concat(chunks)) });
        done(null, 'taken');
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // connections that the test breaks
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    mails,
    port,
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** A mail server that takes connections and never says a word. */
export async function startSilentSmtp(): Promise<AsyncDisposable & { url: string; connected: Promise<unknown> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.resume();
  });
  const connected = once(server, 'connection');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function readMail(bytes: Buffer): Omit<Received, 'from' | 'to'> {
  const raw = bytes.toString('latin1');
  const headers = readHeaders(raw);
  // A mail with pictures nests its HTML in a part of its own.
  const boundaries = [...raw.matchAll(/boundary="([^"]+)"/g)].map(([, boundary]) => `--${boundary}`);
  const parts = boundaries.reduce((all, boundary) => all.flatMap((part) => part.split(boundary)), [raw]).slice(1);
  const partOf = (type: string) =>
    parts.find((part) => readHeaders(part.trimStart()).get('content-type')?.startsWith(type));
  return { raw, headers, text: decode(partOf('text/plain')), html: decode(partOf('text/html')) };
}

function readHeaders(text: string): Map<string, string> {
  const head = text.split('\r\n\r\n', 1)[0]?.replace(/\r\n[ \t]+/g, ' ') ?? '';
  const lines = head.split('\r\n').map((line) => line.split(/: ?(.*)/s, 2));
  return new Map(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]));
}

function decode(part = ''): string {
  const encoding = readHeaders(part.trimStart()).get('content-transfer-encoding');
  const body = part.slice(part.indexOf('\r\n\r\n') + 4).replace(/\r\n$/, '');
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const joined = body.replace(/=\r\n/g, '');
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
