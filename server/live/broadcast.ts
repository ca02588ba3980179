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

/**
 * Dashboards that are written to in one turn of the event loop. A write takes 10 to 50 µs, and a request some ten turns, so a message to many
 * dashboards delays it by two milliseconds at most.
 */
const IN_ONE_TURN = 5;
/** So much for one dashboard is written at once: the event loop has no time for anything else then, and what waits must not grow. */
export const MAX_WAITING_BYTES = 262_144;

type Receiver = { conn: { write(data: string, options: object): unknown } };
/** What waits for a dashboard, in its order. Dashboards for which the same waits share it, so that it is joined once. */
type Waiting = { frames: Buffer; next?: { frames: Buffer; joined: Waiting } };

/**
 * Writes to dashboards in turns. What is sent to a dashboard that is still waiting goes out with the same write: a write is a system call, and the
 * answers that viewers of one link follow change together.
 */
function openLine() {
  const line = new Map<Receiver, Waiting>();
  let [isDue, isWriting] = [false, false];

  function writeTo(receiver: Receiver, { frames }: Waiting): void {
    line.delete(receiver);
    // TRICKY: Engine.IO writes these bytes as they are. Socket.IO's adapter relies on the same option.
    receiver.conn.write('', { compress: false, wsPreEncodedFrame: [frames] });
  }

  /** A write may end a connection, and what follows from that is sent, too: it goes to the end of the line. */
  function writeSome(): void {
    isWriting = true;
    let left = IN_ONE_TURN;
    try {
      for (const [receiver, waiting] of line) {
        writeTo(receiver, waiting);
        if ((left -= 1) === 0) return;
      }
    } finally {
      isWriting = false;
    }
  }

  function goOn(): void {
    isDue = false;
    writeSome();
    if (line.size === 0) return;
    isDue = true;
    setImmediate(goOn);
  }

  return (receivers: readonly Receiver[], frames: Buffer): void => {
    const fresh = { frames };
    for (const receiver of receivers) {
      const before = line.get(receiver);
      const waiting = before ? withMore(before, frames) : fresh;
      line.set(receiver, waiting);
      if (waiting.frames.length > MAX_WAITING_BYTES) writeTo(receiver, waiting);
    }
    if (!isDue && !isWriting) goOn();
  };
}

function withMore(waiting: Waiting, frames: Buffer): Waiting {
  if (waiting.next?.frames !== frames)
    waiting.next = { frames, joined: { frames: Buffer.concat([waiting.frames, frames]) } };
  return waiting.next.joined;
}

const write = openLine();

export function send<Viewer>(dashboards: readonly Dashboard<Viewer>[], messages: readonly Message[]): void {
  if (messages.length === 0 || dashboards.length === 0) return;
  const frames = Buffer.concat(messages.flatMap((message) => frameOf(EVENT + JSON.stringify(message))));
  write(dashboards, frames);
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
