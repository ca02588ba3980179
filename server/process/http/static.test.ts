import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../tests/setup/folder.ts';
import { openStatic } from './static.ts';

test('texts are sent compressed, and pictures and fonts as they are', async () => {
  await using folder = await tempFolder();
  await mkdir(join(folder.path, 'app'));
  const names = ['index.html', 'app.js', 'style.css', 'map.json', 'mark.svg', 'photo.webp', 'photo.png', 'font.woff2'];
  for (const name of names) await writeFile(join(folder.path, 'app', name), 'x'.repeat(5000));
  const { app } = openStatic(folder.path);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent: Record<string, string | null> = {};
  for (const name of names) {
    const answer = await fetch(`${url}/${name}`, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(await answer.text()).toBe('x'.repeat(5000));
    sent[name] = answer.headers.get('content-encoding');
  }
  server.close();
  server.closeAllConnections();
  const compressed = (name: string) => (/\.(webp|png|woff2)$/.test(name) ? null : 'br');
  expect(sent).toEqual(Object.fromEntries(names.map((name) => [name, compressed(name)])));
});
