// Debian's WebKit, which Safari has inside, in a window that nobody sees, through WebDriver. Every host is this machine.
import { existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../run/apt-packages.mjs';
import { freePort, startProgram } from '../processes/process.ts';
import { inside, type OtherBrowser } from './other-browser.ts';

const BROWSER = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;

/** The driver. Undefined where it, its browser or a screen for it is not installed: only long tests ask for it. */
export const webkitPath = (): string | undefined =>
  existsSync(BROWSER) && findProgram('Xvfb') ? findProgram('WebKitWebDriver') : undefined;

export async function openWebkit(path: string): Promise<OtherBrowser> {
  await using stack = new AsyncDisposableStack();
  const screen = spawn(
    findProgram('Xvfb') ?? '',
    ['-displayfd', '3', '-screen', '0', '1280x1000x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  stack.defer(() => void screen.kill());
  const [display] = (await once(screen.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  const port = await freePort();
  const ask = async (method: 'GET' | 'POST' | 'DELETE', address: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${address}`, { method, body: body && JSON.stringify(body) });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${address}: ${JSON.stringify(value)}`);
    return value;
  };
  const driver = await startProgram({
    path,
    args: [`--port=${port}`, '--host=127.0.0.1'],
    env: { DISPLAY: `:${display.toString().trim()}` },
    isReady: () =>
      ask('GET', '/status').then(
        () => true,
        () => false,
      ),
  });
  stack.defer(() => driver.kill());
  // WebKit maps no names to addresses: it asks a proxy, which finds each on this machine.
  const proxy = createServer((asked, answer) => {
    const { port, pathname, search } = new URL(asked.url ?? '');
    const { method, headers } = asked;
    const passed = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  stack.defer(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const httpProxy = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const options = {
    proxy: { proxyType: 'manual', httpProxy, noProxy: ['127.0.0.1'] },
    pageLoadStrategy: 'none', // it would answer nothing while a page loads
    'webkitgtk:browserOptions': { binary: BROWSER, args: ['--automation'] },
  };
  const opened = await ask('POST', '/session', { capabilities: { alwaysMatch: options } });
  const session = `/session/${(opened as { sessionId: string }).sessionId}`;
  stack.defer(() => ask('DELETE', session).then(() => undefined));

  let last: Promise<unknown> = Promise.resolve();
  /** `frame`: null is the page. One expression after another: the frame is chosen before each. */
  const runIn = (frame: number | null) => (expression: string) => {
    const run = async () => {
      await ask('POST', `${session}/frame`, { id: null });
      if (frame !== null) await ask('POST', `${session}/frame`, { id: frame });
      return (await ask('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] })) as
        string | null;
    };
    const said = last.then(run, run);
    last = said;
    return said;
  };
  const page = inside(runIn(null));
  const rest = stack.move();
  return {
    ...page,
    within: (frame) => inside(runIn(frame)),
    goto: async (url) => {
      await ask('POST', `${session}/url`, { url });
      await page.until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    },
    click: async (selector) => {
      const found = await ask('POST', `${session}/element`, { using: 'css selector', value: selector });
      await ask('POST', `${session}/element/${Object.values(found as object).join('')}/click`, {});
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
