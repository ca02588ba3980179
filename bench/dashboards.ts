// Shared by the benchmarks with open dashboards: opens the socket of one as the browser's client does.

type Viewer = { url: string; siteId: string } & (
  | { cookie: string }
  /** Of a share link, with the address that a proxy tells. */
  | { token: string; address: string }
);

/** Resolves once the dashboard watches the site. `onText` gets each message, those of the handshake too. */
export function openDashboard(
  { url, siteId, ...who }: Viewer,
  onText: (text: string) => void = () => undefined,
): Promise<WebSocket> {
  // Node's own WebSocket takes headers, which its type, that of browsers, does not have.
  const socket = new (WebSocket as unknown as new (url: string, options: object) => WebSocket)(
    `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`,
    'cookie' in who
      ? { headers: { cookie: who.cookie, origin: url } }
      : { headers: { 'x-forwarded-for': who.address, origin: url }, protocols: [`share.${who.token}`] },
  );
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('A dashboard could not connect.'));
    socket.onmessage = ({ data }) => {
      const text = String(data);
      onText(text);
      if (text.startsWith('0{')) socket.send('40');
      else if (text.startsWith('40')) socket.send(`420${JSON.stringify(['watch', siteId])}`);
      else if (text.startsWith('430')) resolve(socket);
      else if (text === '2') socket.send('3');
    };
  });
}
