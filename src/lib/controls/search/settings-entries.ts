// The entries of the settings: where they begin, each card, and each room that has more than a card of the same name.
import { goto } from '$app/navigation';
import { ACCOUNT_SETTINGS_PATH } from '../../account/pages';
import type { Session } from '../../api/types';
import { jumpTo } from '../../browser/jump';
import { ACCOUNT_ROOMS, type Room, roomsFor, SITE_ROOMS } from '../../settings/rooms/tables';
import { type Entry, goTo } from './palette';

/** `label`: whose settings. `addressOf`: the address of a page of them by the path of its room. `rooms`: those that the reader sees. */
export type Place = { label: string; addressOf: (path: string) => string; rooms: readonly Room[] };

export function settingsEntries(session: Session, site: Omit<Place, 'rooms'> | undefined): Entry[] {
  const account = { label: 'Account settings', addressOf: (path: string) => ACCOUNT_SETTINGS_PATH + path };
  const places: Place[] = [
    ...(site ? [{ ...site, rooms: roomsFor(SITE_ROOMS, session) }] : []),
    { ...account, rooms: roomsFor(ACCOUNT_ROOMS, session) },
  ];
  return [...places.map(beginOf), ...places.flatMap(cardEntries), ...places.flatMap(roomEntries)];
}

type SettingsEntry = Entry & { address: string };
const GROUP = { group: 'Settings' } as const;

function beginOf({ label, addressOf }: Place): Entry {
  return {
    ...GROUP,
    id: label.toLowerCase(),
    label,
    words: 'site preferences options configuration',
    run: goTo(addressOf('')),
  };
}

export function cardEntries({ label, addressOf, rooms }: Place): SettingsEntry[] {
  return rooms.flatMap((room) =>
    room.cards.map(({ name, title, words }) => {
      const address = `${addressOf(room.path)}#${name}`;
      const run = async () => {
        await goto(addressOf(room.path)); // with the anchor, the browser would move the focus once more
        jumpTo(document.getElementById(name), 'start');
      };
      return { ...GROUP, id: `card ${name}`, label: title, hint: `${label} · ${room.title}`, words, address, run };
    }),
  );
}

function roomEntries({ label, addressOf, rooms }: Place): Entry[] {
  return rooms
    .filter(({ title, cards }) => !cards.some((card) => card.title === title))
    .map(({ path, title }) => ({
      ...GROUP,
      id: `room ${label} ${title}`,
      label: title,
      hint: label,
      run: goTo(addressOf(path)),
    }));
}
