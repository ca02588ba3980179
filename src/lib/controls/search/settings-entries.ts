// The entries of the settings: where they begin, each card, and each room that has more than a card of the same name.
import { goto } from '$app/navigation';
import { ACCOUNT_SETTINGS_PATH } from '../../account/pages';
import type { Session } from '../../api/types';
import { jumpTo } from '../../browser/jump';
import { ACCOUNT_ROOMS, type Room, roomsFor, SITE_ROOMS } from '../../settings/rooms/tables';
import { type Entry, goTo } from './palette';
import { t } from '../../../../server/vocabulary/habits/messages.ts';

/** `label`: whose settings. `addressOf`: the address of a page of them by the path of its room. `rooms`: those that the reader sees. */
export type Place = { label: string; addressOf: (path: string) => string; rooms: readonly Room[] };
/** `id`: their English name. */
type Settings = Place & { id: string };

export function settingsEntries(session: Session, site: Omit<Settings, 'rooms'> | undefined): Entry[] {
  const account: Settings = {
    id: 'account settings',
    label: t('Account settings'),
    addressOf: (path) => ACCOUNT_SETTINGS_PATH + path,
    rooms: roomsFor(ACCOUNT_ROOMS, session),
  };
  const places = [...(site ? [{ ...site, rooms: roomsFor(SITE_ROOMS, session) }] : []), account];
  return [...places.map(beginOf), ...places.flatMap(cardEntries), ...places.flatMap(roomEntries)];
}

type SettingsEntry = Entry & { address: string };
const GROUP = { group: 'settings' } as const;

function beginOf({ id, label, addressOf }: Settings): Entry {
  return {
    ...GROUP,
    id,
    label,
    words: `${id} site preferences options configuration`,
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
      const hint = `${label} · ${room.title}`;
      return { ...GROUP, id: `card ${name}`, label: title, hint, words: `${name} ${words}`, address, run };
    }),
  );
}

function roomEntries({ id, label, addressOf, rooms }: Settings): Entry[] {
  return rooms
    .filter(({ title, cards }) => !cards.some((card) => card.title === title))
    .map(({ path, title }) => ({
      ...GROUP,
      id: `room ${id} ${path}`,
      label: title,
      hint: label,
      words: path,
      run: goTo(addressOf(path)),
    }));
}
