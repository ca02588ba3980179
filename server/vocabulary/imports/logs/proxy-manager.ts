// The lines of Nginx Proxy Manager, of its proxy hosts and of its other hosts (NginxProxyManager/nginx-proxy-manager,
// docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf).
import { CLOCK, clockTime, hostOf, type LogLine, QUOTED, unescape, valueOf } from './line.ts';

/** `[time] (cache upstream) status - method scheme host "uri" [Client address] [Length bytes] [Gzip ratio] ([Sent-to server]) "user agent" "referrer"` */
const LINE = new RegExp(
  String.raw`^\[${CLOCK}\] (?:[^"\[\]]{0,200} )?(\d{3}) - ([A-Z]{3,20}) \S+ (\S+) ${QUOTED} \[Client ([^\]]{1,100})\] \[Length (\d+|-)\] (?:\[[^\]]{0,300}\] ){1,2}${QUOTED} ${QUOTED}`,
);

export function readProxyManager(line: string): LogLine | undefined {
  const found = LINE.exec(line);
  const time = found ? clockTime(found.slice(1, 6)) : undefined;
  if (!found || time === undefined) return undefined;
  const [status, method = '', host = '', target = '', address = '', bytes = '', userAgent = '', referrer = ''] =
    found.slice(6);
  return {
    address,
    time,
    method,
    target: unescape(target),
    status: Number(status),
    bytes,
    referrer: valueOf(referrer),
    userAgent: valueOf(userAgent),
    host: hostOf(host),
  };
}
