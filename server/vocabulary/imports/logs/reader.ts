// Reads the lines of an access log, each in the format that it has itself: files may hold several, as after a change of the server.
import { readBalancer } from './balancer.ts';
import { readCombined } from './combined.ts';
import { openExtended } from './extended.ts';
import { readJson } from './json-line.ts';
import type { LogLine } from './line.ts';
import { readProxyManager } from './proxy-manager.ts';

/** What a line holds: a request, nothing that counts ('comment'), or undefined if no format has such a line. */
export type ReadLine = (line: string) => LogLine | 'comment' | undefined;

const BALANCER = /^(?:https?|h2|wss?|grpcs?) \d{4}-/;

/** A reader for one file, whose lines must come in order: some say what the next ones hold. */
export function openLogReader(): ReadLine {
  const extended = openExtended();
  let isExtended = false;
  const readPlain = (line: string): LogLine | undefined => {
    if (line.startsWith('[')) return readProxyManager(line);
    if (BALANCER.test(line)) return readBalancer(line);
    return isExtended ? (extended.read(line) ?? readCombined(line)) : readCombined(line);
  };
  return (text) => {
    const line = text.startsWith('\0') ? withoutZeros(text) : text;
    if (line.startsWith('{')) return readJson(line, readPlain);
    if (!line.startsWith('#')) return readPlain(line) ?? undefined;
    isExtended = true;
    extended.tell(line);
    return 'comment';
  };
}

/** A log that was cut while its server wrote on begins with zeros. */
function withoutZeros(text: string): string {
  let at = 0;
  while (text.charCodeAt(at) === 0) at += 1;
  return text.slice(at);
}
