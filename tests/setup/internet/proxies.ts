// The recipes of docs/proxy.md at work: the text of each, in the real program, in front of a Footfall that listens on a port of this
// machine. Only the name of Footfall's host gets that port. Sites are served as https://example.com.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { startNameServer } from './dns.ts';
import { accepts, freePort, programOf, startProgram } from '../processes/process.ts';

export type Asked = { method?: string; path: string; headers?: Record<string, string>; body?: string };
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer };
/** Sends a visitor's request to the site. `visitor` is an address of this machine: 127.0.0.2, 127.0.0.3 … */
type Proxy = AsyncDisposable & { ask(visitor: string, asked: Asked): Promise<Answer> };

/** Where Footfall listens with TLS, a folder for the proxy's files, and Footfall's certificate in it. */
type Place = { port: number; folder: string; files: { TLS_CERT: string; TLS_KEY: string } };

/** The hosts that the recipes name: Footfall's, and the site's. */
const FOOTFALL = 'stats.example.com';
const SITE = 'example.com';
/** Where Debian keeps the certificates of authorities. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const LOOPBACK = '127.0.0.1';

/** The first block of code under the heading, with what the reader replaces. Throws when a text to replace is not in it. */
export async function recipe(heading: string, replaced: Record<string, string> = {}): Promise<string> {
  const page = await readFile(new URL('../../../docs/proxy.md', import.meta.url), 'utf8');
  let found = new RegExp(`^## ${heading}\\n[^#]*?^\`\`\`\\w+\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
  for (const [from, to] of Object.entries(replaced)) {
    if (!found.includes(from)) throw new Error(`docs/proxy.md: the recipe for ${heading} has no ${from}.`);
    found = found.replaceAll(from, to);
  }
  return found;
}

async function openNginx({ port, folder, files }: Place): Promise<Proxy> {
  const names = await startNameServer();
  const listening = await freePort();
  const location = await recipe('nginx', {
    [`https://${FOOTFALL}`]: `https://${FOOTFALL}:${port}`,
    '127.0.0.53': `${LOOPBACK}:${names.port}`,
  });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const config = `daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http {
      access_log off; ${temporary.join(' ')}
      server {
        listen ${LOOPBACK}:${listening} ssl; server_name ${SITE};
        ssl_certificate ${files.TLS_CERT}; ssl_certificate_key ${files.TLS_KEY};
        ${location}
      }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'];
  const running = await startProgram({ path: programOf('nginx'), args, isReady: () => accepts(listening) });
  return {
    ask: (visitor, asked) => askOver(listening, visitor, asked),
    [Symbol.asyncDispose]: async () => {
      await running.kill();
      await names[Symbol.asyncDispose]();
    },
  };
}

async function openCaddy({ port, folder, files }: Place): Promise<Proxy> {
  const [listening, plain] = [await freePort(), await freePort()];
  const site = await recipe('Caddy', { [`https://${FOOTFALL}`]: `https://${LOOPBACK}:${port}` });
  // Certificates of the site are Caddy's own, made on the spot; Footfall's is trusted by SSL_CERT_FILE.
  const config = `{
      admin off
      https_port ${listening}
      http_port ${plain}
      default_bind ${LOOPBACK}
      local_certs
      skip_install_trust
    }
    ${site}`;
  await writeFile(join(folder, 'Caddyfile'), config);
  const environment = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, SSL_CERT_FILE: files.TLS_CERT };
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const args = [
    ...settings,
    programOf('caddy'),
    'run',
    '--adapter',
    'caddyfile',
    '--config',
    join(folder, 'Caddyfile'),
  ];
  const ask = (visitor: string, asked: Asked) => askOver(listening, visitor, asked);
  // The port opens before the certificate exists, so a real request shows whether it is ready.
  const running = await startProgram({ path: programOf('env'), args, isReady: () => answers(ask) });
  return { ask, [Symbol.asyncDispose]: () => running.kill() };
}

async function openApache({ port, folder, files }: Place): Promise<Proxy> {
  const listening = await freePort();
  const section = await recipe('Apache', {
    [`https://${FOOTFALL}`]: `https://localhost:${port}`, // Apache compares certificates with names only
    [AUTHORITIES]: files.TLS_CERT,
  });
  const modules = ['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'headers', 'proxy', 'proxy_http'];
  const config = `ServerRoot ${folder}
    ${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
    PidFile ${folder}/apache.pid
    Mutex file:${folder}
    ErrorLog ${folder}/error.log
    ServerName ${SITE}
    Listen ${LOOPBACK}:${listening}
    <VirtualHost ${LOOPBACK}:${listening}>
      SSLEngine on
      SSLCertificateFile ${files.TLS_CERT}
      SSLCertificateKeyFile ${files.TLS_KEY}
      DocumentRoot ${folder}/pages
      ${section}
    </VirtualHost>`;
  await mkdir(join(folder, 'pages'));
  await writeFile(join(folder, 'apache.conf'), config);
  const args = ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')];
  const ask = (visitor: string, asked: Asked) => askOver(listening, visitor, asked);
  // Apache opens its port twice, so a real request shows whether it is ready.
  const running = await startProgram({ path: programOf('apache2'), args, isReady: () => answers(ask) });
  return {
    ask,
    [Symbol.asyncDispose]: () => running.stop('SIGTERM'), // it ends its workers, too
  };
}

async function openHaproxy({ port, folder, files }: Place): Promise<Proxy> {
  const listening = await freePort();
  const certificate = join(folder, 'site.pem');
  await writeFile(certificate, (await readFile(files.TLS_CERT, 'utf8')) + (await readFile(files.TLS_KEY, 'utf8')));
  const sections = await recipe('HAProxy', {
    'bind :443 ssl crt /etc/haproxy/example.com.pem': `bind ${LOOPBACK}:${listening} ssl crt ${certificate}`,
    [`${FOOTFALL}:443`]: `${LOOPBACK}:${port}`,
    [AUTHORITIES]: files.TLS_CERT,
  });
  const config = `defaults
  mode http
  timeout client 10s
  timeout connect 10s
  timeout server 10s

backend pages
  http-request deny deny_status 404

${sections}`;
  await writeFile(join(folder, 'haproxy.cfg'), config);
  const args = ['-db', '-f', join(folder, 'haproxy.cfg')];
  const running = await startProgram({ path: programOf('haproxy'), args, isReady: () => accepts(listening) });
  return {
    ask: (visitor, asked) => askOver(listening, visitor, asked),
    [Symbol.asyncDispose]: () => running.kill(),
  };
}

/** The Worker runs in this process, which also plays Cloudflare's part: it names the visitor, and resolves Footfall's host. */
async function openWorker({ port }: Place): Promise<Proxy> {
  const source = await recipe('Cloudflare');
  type Worker = { default: { fetch(request: Request): Promise<Response> | Response } };
  const worker = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as Worker;
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input as string);
    if (url.host !== FOOTFALL) return original(input, init);
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), host: FOOTFALL };
    const body = init?.body ? await new Response(init.body).text() : '';
    const path = url.pathname + url.search;
    const answer = await askOver(port, LOOPBACK, { method: init?.method ?? 'GET', path, headers, body });
    const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer.status === 204 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: received,
    });
  };
  return {
    ask: async (visitor, { method = 'GET', path, headers, body }) => {
      const sent = {
        method,
        headers: { ...headers, 'cf-connecting-ip': visitor },
        ...(body !== undefined && { body }),
      };
      const answer = await worker.default.fetch(new Request(`https://${SITE}${path}`, sent));
      const received = Object.fromEntries(answer.headers);
      return { status: answer.status, headers: received, body: Buffer.from(await answer.arrayBuffer()) };
    },
    [Symbol.asyncDispose]: () => {
      globalThis.fetch = original;
      return Promise.resolve();
    },
  };
}

const answers = (ask: Proxy['ask']) =>
  ask(LOOPBACK, { path: '/' }).then(
    () => true,
    () => false,
  );

export const PROXIES = [
  ['nginx', openNginx],
  ['Caddy', openCaddy],
  ['Apache', openApache],
  ['HAProxy', openHaproxy],
  ['Cloudflare', openWorker],
] as const;

/** A request over TLS to a port of this machine, from the visitor's address. */
export async function askOver(
  port: number,
  visitor: string,
  { method = 'GET', path, headers, body }: Asked,
): Promise<Answer> {
  const sent = {
    host: SITE,
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const asking = request({
    host: LOOPBACK,
    port,
    path,
    method,
    headers: sent,
    localAddress: visitor,
    servername: SITE,
    rejectUnauthorized: false,
    agent: false,
  });
  const answered = once(asking, 'response');
  asking.end(body);
  const [response] = (await answered) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}
