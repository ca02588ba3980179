// The settings as attributes of the script element: `start` sets them in the browser, and frameworks that render pages write them into the page.
import type { PageSettings } from './module.ts';

export function attributesOf(settings: PageSettings): Record<string, string> {
  const { site, endpoint, dev, hash, canonical, notFound, routing, off = [], props = {} } = settings;
  const switches = { dev, hash, canonical, 404: notFound };
  const data = {
    site,
    ...(endpoint && { endpoint }),
    ...(routing === false && { routing: 'off' }),
    ...Object.fromEntries(Object.entries(switches).flatMap(([name, isSet]) => (isSet ? [[name, '']] : []))),
    ...Object.fromEntries(off.map((name) => [name, 'off'])),
    ...Object.fromEntries(Object.entries(props).map(([key, value]) => [`foot-${key}`, String(value)])),
  };
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]));
}
