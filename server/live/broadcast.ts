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
/** Two seconds of writes. Those beyond are made at once: the event loop has no time for anything else then, and the queue must not grow. */
export const MAX_WAITING = 200_000;

type Written = { dashboards: readonly { conn: { write(data: string, options: object): unknown } }[]; frames: Buffer };

/** What is sent later than other messages arrives later, whichever dashboards both go to. */
function openLine() {
  const line: Written[] = [];
  let [begun, waiting, isDue, isWriting] = [0, 0, false, false];

  /** The next dashboards of the line. */
  function take(most: number): Written | undefined {
    const [first] = line;
    if (!first) return undefined;
    const dashboards = first.dashboards.slice(begun, begun + most);
    [begun, waiting] = [begun + dashboards.length, waiting - dashboards.length];
    if (begun >= first.dashboards.length) {
      line.shift();
      begun = 0;
    }
    return { dashboards, frames: first.frames };
  }

  /** A write may end a connection, and what follows from that is sent, too: it goes to the end of the line. */
  function writeSome(): void {
    isWriting = true;
    try {
      for (let left = IN_ONE_TURN; left > 0;) {
        const next = take(left);
        if (!next) return;
        left -= next.dashboards.length;
        // TRICKY: Engine.IO writes these bytes as they are. Socket.IO's adapter relies on the same option.
        const options = { compress: false, wsPreEncodedFrame: [next.frames] };
        for (const { conn } of next.dashboards) conn.write('', options);
      }
    } finally {
      isWriting = false;
    }
  }

  function goOn(): void {
    isDue = false;
    writeSome();
    if (line.length === 0) return;
    isDue = true;
    setImmediate(goOn);
  }

  return (written: Written): void => {
    line.push(written);
    waiting += written.dashboards.length;
    if (isWriting) return; // the line is being written
    if (!isDue) goOn();
    while (waiting > MAX_WAITING) writeSome();
  };
}

const write = openLine();

export function send<Viewer>(dashboards: readonly Dashboard<Viewer>[], messages: readonly Message[]): void {
  if (messages.length === 0 || dashboards.length === 0) return;
  const frames = Buffer.concat(messages.flatMap((message) => frameOf(EVENT + JSON.stringify(message))));
  write({ dashboards, frames });
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
