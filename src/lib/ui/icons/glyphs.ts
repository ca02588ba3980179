// Glyphs of channels and device classes, as lines on a 16-pixel grid.
import type { Channel } from '../../../../server/vocabulary/questions/channels.ts';
import type { Device } from '../../../../server/vocabulary/event.ts';

const SEARCH = 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.8 10.8l3 3';
const SOCIAL =
  'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.4-2.2 2-3.4 4.2-3.4s3.8 1.2 4.2 3.4M10.5 3.2a2.2 2.2 0 0 1 0 4.2M12 9.9c1.3.5 2.1 1.6 2.4 3.1';
const VIDEO = 'M2 4h12v8.5H2zM6.7 6.2v4.1L10 8.25z';
const SHOPPING = 'M3.5 5.5h9l.8 8H2.7zM5.8 5.5v-.8a2.2 2.2 0 0 1 4.4 0v.8';
/** Glyphs of paid channels have a dot. */
const PAID = 'M13.6 2.4h.01';

const CHANNELS: Record<Channel, string> = {
  Direct: 'M2 8h8.5M7 4.5L10.5 8 7 11.5M13.5 3.5v9',
  'Cross-network': 'M4 4.5h6.5M8 2l2.5 2.5L8 7M12 11.5H5.5M8 9l-2.5 2.5L8 14',
  'Paid Shopping': SHOPPING + PAID,
  'Paid Search': SEARCH + PAID,
  'Paid Social': SOCIAL + PAID,
  'Paid Video': VIDEO + PAID,
  Display: 'M2.5 3h11v10h-11zM2.5 10.5l3-3 3 3 2-2 3 3',
  'Paid Other': `M3 6.5v3h2l5 3v-9l-5 3z${PAID}`,
  'AI assistants': 'M8 2l1.5 4.5L14 8 9.5 9.5 8 14 6.5 9.5 2 8l4.5-1.5z',
  'Organic Shopping': SHOPPING,
  'Organic Social': SOCIAL,
  'Organic Video': VIDEO,
  'Organic Search': SEARCH,
  Referral: 'M6.5 9.5l3-3M7.5 4.5l1.6-1.6a2.7 2.7 0 0 1 3.9 3.9l-1.6 1.6M8.5 11.5l-1.6 1.6A2.7 2.7 0 0 1 3 9.2l1.6-1.6',
  Email: 'M2 3.8h12v8.6H2zM2 4.3L8 9l6-4.7',
  Affiliates: 'M2.5 8.5V3H8l5.5 5.5L8 14zM5.4 5.9h.01',
  Audio: 'M3 11V8a5 5 0 0 1 10 0v3M3 9.5h2v4H3zM11 9.5h2v4h-2z',
  SMS: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z',
  'Mobile Push Notifications': 'M4 11V7.5a4 4 0 0 1 8 0V11l1.2 1.2H2.8zM6.8 14h2.4',
};

const DEVICES: Record<Device, string> = {
  desktop: 'M2 3h12v8H2zM5.5 13.5h5M8 11v2.5',
  mobile: 'M5 1.8h6a.7.7 0 0 1 .7.7v11a.7.7 0 0 1-.7.7H5a.7.7 0 0 1-.7-.7v-11a.7.7 0 0 1 .7-.7zM7.3 11.9h1.4',
  tablet: 'M3 2h10v12H3zM7.3 11.8h1.4',
  tv: 'M2 5h12v8H2zM5.5 2.3L8 5l2.5-2.7',
  console:
    'M5 5h6a3.5 3.5 0 0 1 3.4 4.4l-.4 1.6c-.4 1.4-2 1.6-2.8.5L10.3 10H5.7l-.9 1.5c-.8 1.1-2.4.9-2.8-.5l-.4-1.6A3.5 3.5 0 0 1 5 5zM4.3 7.5h2M5.3 6.5v2M10.7 7.5h.01',
  wearable: 'M8 11.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM6 5l.5-3h3l.5 3M6 11l.5 3h3l.5-3',
  car: 'M2 9l1.2-4h9.6L14 9v3.5h-2V11H4v1.5H2zM2.3 8.6h11.4',
  other: 'M3.2 8h.01M8 8h.01M12.8 8h.01',
};

export const GLYPHS: Record<'channel' | 'device', ReadonlyMap<string, string>> = {
  channel: new Map(Object.entries(CHANNELS)),
  device: new Map(Object.entries(DEVICES)),
};
