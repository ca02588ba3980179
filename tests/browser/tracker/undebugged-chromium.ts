// Chromium without a debugger on any page. Playwright shows every tab as visible, and a debugger switches prerendering off. The test talks
// to the browser only, so tabs open in the background and pages prerender as they do for anybody.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CHROMIUM_FLAGS, chromiumPath } from '../../setup/browser/chromium.ts';
import { tempFolder } from '../../setup/folder.ts';

type Unattended = AsyncDisposable & {
  openTab(url: string, options?: { background: boolean }): Promise<string>;
  showTab(id: string): Promise<void>;
  closeTab(id: string): Promise<void>;
};

export async function openUnattended(): Promise<Unattended> {
  const profile = await tempFolder();
  const flags = ['--remote-debugging-port=0', `--user-data-dir=${profile.path}`, ...CHROMIUM_FLAGS];
  const child = spawn(chromiumPath('chromium'), [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const socket = new WebSocket(await debuggerAddress(child));
  await once(socket, 'open');

  const answers = new Map<number, (result: { targetId: string }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: { targetId: string } };
    answers.get(id)?.(result);
  });
  let lastId = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<{ targetId: string }>((resolve) => {
      const id = ++lastId;
      answers.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });

  return {
    openTab: async (url, { background } = { background: false }) =>
      (await ask('Target.createTarget', { url, background })).targetId,
    showTab: async (targetId) => void (await ask('Target.activateTarget', { targetId })),
    closeTab: async (targetId) => void (await ask('Target.closeTarget', { targetId })),
    [Symbol.asyncDispose]: async () => {
      void ask('Browser.close');
      await exited;
      await profile[Symbol.asyncDispose]();
    },
  };
}

async function debuggerAddress(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('Chromium has no output.');
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address) {
      child.stderr.resume();
      return address;
    }
  }
  throw new Error('Chromium did not start.');
}
