// What a page needs soon, but not before there is something to read: nobody prints it earlier.
import '../print.css';
import { followUpdates } from './update.svelte';

followUpdates();
