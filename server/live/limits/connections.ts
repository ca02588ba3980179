// Limits how many sockets may be open. Members, viewers of share links and unidentified connections are counted separately, so that no
// group can keep the others out.

/** `stranger`: not identified yet. `guest`: has a share link, so it may be anybody. */
export type Standing = { kind: 'stranger' } | { kind: 'guest' | 'member'; viewer: string };

export type Seat = {
  standing: Standing;
  /** Moves the connection to a seat for its new standing. Returns false if none is free: the caller must then close the connection. */
  identify(standing: Standing): boolean;
  leave(): void;
};

/** Strangers from one address. All connections start as strangers, but only for an instant. */
const STRANGERS_OF_ADDRESS = 10;
/** Guests from one address: enough for an office that watches the same dashboard. */
const GUESTS_OF_ADDRESS = 100;

/** `most` limits the members. Guests get half as many seats, strangers a tenth. A single viewer gets at most half. */
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
    /** Returns undefined if no seat is left. */
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
