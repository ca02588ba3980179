// What components of every framework send events with.
import { footfall } from '../module.ts';

/** The function that sends events: `const footfall = useFootfall(); footfall('signup')`. It never changes, and may be called on a server. */
export function useFootfall(): typeof footfall {
  return footfall;
}
