// The tests of collect.test.ts, behind two workers: nothing may differ.
import { withFronts } from '../setup/processes/fronts.ts';

withFronts(2);
await import('./collect.test.ts');
