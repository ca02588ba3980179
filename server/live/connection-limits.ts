// How many sockets may be open: those of members, of share links and of whoever is not identified yet are counted apart, so that
// nobody keeps others out.

/** `stranger`: not identified yet. `guest`: has a share link, and may be anybody. */
export type Standing = { kind: 'stranger' } | { kind: 'guest' | 'member'; viewer: string };

export type Seat = {
  standing: Standing;
  /** Says who it is after all. False when there is no seat for them: the connection is to be closed then. */
  identify(standing: Standing): boolean;
  leave(): void;
};

/** Of one address: tabs that open at the same moment identify themselves at once. */
const STRANGERS_OF_ADDRESS = 10;
/** An office that looks at the same dashboard. */
const GUESTS_OF_ADDRESS = 100;

/** `most`: of all members; half of it is for share links, a tenth for strangers. One viewer has half of it at most. */
export function openSeats(most: number) {
  const counts = new Map<string, number>();

  function placesOf(standing: Standing, address: string): [place: string, limit: number][] {
    if (standing.kind === 'stranger')
      return [
        ['strangers', Math.ceil(most / 10)],
        [`stranger at ${address}`, STRANGERS_OF_ADDRESS],
      ];
    const own: [string, number] = [`viewer ${standing.viewer}`, Math.ceil(most / 2)];
    if (standing.kind === 'member') return [['members', most], own];
    return [['guests', Math.ceil(most / 2)], [`guest at ${address}`, GUESTS_OF_ADDRESS], own];
  }

  function enter(places: [string, number][]): boolean {
    if (places.some(([place, limit]) => (counts.get(place) ?? 0) >= limit)) return false;
    for (const [place] of places) counts.set(place, (counts.get(place) ?? 0) + 1);
    return true;
  }

  function leave(places: [string, number][]): void {
    for (const [place] of places) {
      const left = (counts.get(place) ?? 0) - 1;
      if (left > 0) counts.set(place, left);
      else counts.delete(place);
    }
  }

  return {
    /** Undefined when there is none left. */
    take(first: Standing, address: string): Seat | undefined {
      let held = placesOf(first, address);
      if (!enter(held)) return undefined;
      const seat: Seat = {
        standing: first,
        identify: (standing) => {
          leave(held);
          held = placesOf(standing, address);
          seat.standing = standing;
          if (enter(held)) return true;
          held = [];
          return false;
        },
        leave: () => {
          leave(held);
          held = [];
        },
      };
      return seat;
    },
  };
}
