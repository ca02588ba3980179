// Debian's Firefox, headless, with its own empty profile, through WebDriver BiDi. Every host under
// .test is this machine.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../run/apt-packages.mjs';
import { tempFolder } from '../folder.ts';
import { freePort, startProgram } from '../processes/process.ts';
import { inside, type OtherBrowser } from './other-browser.ts';

/** Undefined where it is not installed: only long tests ask for it. */
export const firefoxPath = (): string | undefined => findProgram('firefox-esr') ?? findProgram('firefox');

const PREFS = { 'network.dns.forceResolve': '127.0.0.1', 'datareporting.policy.dataSubmissionEnabled': false };

type Answer = { id?: number; result?: Record<string, unknown>; message?: string };

export async function openFirefox(path: string): Promise<OtherBrowser> {
  const folder = await tempFolder();
  const prefs = Object.entries(PREFS).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(folder.path, 'user.js'), prefs.join('\n'));
  const port = await freePort();
  const connect = () =>
    new Promise<WebSocket | undefined>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
      socket.onopen = () => resolve(socket);
      socket.onerror = () => resolve(undefined);
    });
  let opened: WebSocket | undefined;
  const running = await startProgram({
    path,
    args: ['--headless', '--no-remote', '--profile', folder.path, '--remote-debugging-port', String(port)],
    isReady: async () => (opened = await connect()) !== undefined,
  });
  const socket = opened as WebSocket;
  let last = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id ?? -1)?.(answer);
  };
  const ask = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = (last += 1);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await answered;
    if (!result) throw new Error(`${method}: ${message}`);
    return result;
  };
  await ask('session.new', { capabilities: {} });
  const { context } = await ask('browsingContext.create', { type: 'tab' });
  const runIn = (frame: () => Promise<unknown>) => async (expression: string) => {
    const said = await ask('script.evaluate', { expression, target: { context: await frame() }, awaitPromise: true });
    const { result } = said as { result?: { value?: string } };
    if (!result) throw new Error(`${expression}: ${JSON.stringify(said)}`);
    return result.value;
  };
  const frameOf = async (number: number) => {
    const { contexts } = (await ask('browsingContext.getTree', { root: context })) as {
      contexts: { children: { context: string }[] }[];
    };
    return contexts[0]?.children[number]?.context;
  };
  return {
    goto: async (url) => void (await ask('browsingContext.navigate', { context, url, wait: 'complete' })),
    ...inside(runIn(() => Promise.resolve(context))),
    within: (frame) => inside(runIn(() => frameOf(frame))),
    click: async (selector) => {
      const { nodes } = (await ask('browsingContext.locateNodes', {
        context,
        locator: { type: 'css', value: selector },
      })) as { nodes: { sharedId: string }[] };
      const origin = { type: 'element', element: { sharedId: nodes[0]?.sharedId } };
      await ask('input.performActions', {
        context,
        actions: [
          {
            type: 'pointer',
            id: 'mouse',
            actions: [
              { type: 'pointerMove', x: 0, y: 0, origin },
              { type: 'pointerDown', button: 0 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
      });
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await running.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
