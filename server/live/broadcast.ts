// Sends messages to dashboards. They are encoded once for all of them, and each dashboard costs one write, however many messages there are.
// Socket.IO's own broadcast writes each message by itself and in two pieces: with 2,000 dashboards the system calls were most of the work.
import { type Dashboard, type LiveServer, roomOf } from './connection.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { ServerMessages } from './messages.ts';

export type Message = {
  [Name in keyof ServerMessages]: [name: Name, ...Parameters<ServerMessages[Name]>];
}[keyof ServerMessages];

const TEXT_FRAME = 0x81;
/** Engine.IO's `message` with Socket.IO's `event`, in the namespace `/`. */
const EVENT = '42';

/** The dashboards of this process that watch the site; `inSteps`: those that see it in steps. */
export function dashboardsOf<Viewer>(
  io: LiveServer<Viewer>,
  siteId: SiteId,
  { inSteps = false } = {},
): Dashboard<Viewer>[] {
  const { adapter, sockets } = io.of('/');
  return [...(adapter.rooms.get(roomOf(siteId, { inSteps })) ?? [])].flatMap((id) => sockets.get(id) ?? []);
}

export function send<Viewer>(dashboards: readonly Dashboard<Viewer>[], messages: readonly Message[]): void {
  if (messages.length === 0) return;
  const frames = Buffer.concat(messages.flatMap((message) => frameOf(EVENT + JSON.stringify(message))));
  // TRICKY: Engine.IO writes these bytes as they are. Socket.IO's adapter relies on the same option.
  const options = { compress: false, wsPreEncodedFrame: [frames] };
  for (const { conn } of dashboards) conn.write('', options);
}

/** The text as a WebSocket frame, unmasked and in one piece: RFC 6455, section 5.2. */
function frameOf(text: string): Buffer[] {
  const payload = Buffer.from(text);
  const { length } = payload;
  if (length < 126) return [Buffer.from([TEXT_FRAME, length]), payload];
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = TEXT_FRAME;
  if (length < 65_536) {
    header[1] = 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return [header, payload];
}
