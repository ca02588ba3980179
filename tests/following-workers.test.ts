// The tests of following.test.ts, behind two workers: nothing may differ.
import { withFronts } from './setup/fronts.ts';

withFronts(2);
await import('./following.test.ts');
