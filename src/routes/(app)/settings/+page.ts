import { signedIn } from '../signed-in';
import type { PageLoad } from './$types';

export const load: PageLoad = ({ parent }) => signedIn(parent);
