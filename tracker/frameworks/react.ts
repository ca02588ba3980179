// `footfall/react`: a component that loads the script once, and the function that sends events. The script itself counts navigations.
import { useEffect } from 'react';
import { start, type Settings } from '../module.ts';

export { useFootfall } from './use.ts';

/** Put it once into the layout of all pages. It draws nothing. Later changes of its settings have no effect. */
export function Footfall(settings: Settings): null {
  useEffect(() => start(settings), []);
  return null;
}
