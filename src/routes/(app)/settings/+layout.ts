import { signedIn } from '../signed-in';
import type { LayoutLoad } from './$types';

export const load: LayoutLoad = ({ parent }) => signedIn(parent);
