// Messages between the server and the engine's process, besides statements.

/** The first message to the process. `ping` is answered at once. `end` lets running statements finish. */
export type Work = { path: string; socket: string };
export type Order = 'ping' | 'end';
/** `open`: statements can be sent. */
export type Answer = 'open' | 'pong' | { cannotOpen: string };
