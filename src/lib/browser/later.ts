// Loaded once the page can be read: styles for printing, and what follows updates of the server.
import '../../print.css';
import { followUpdates } from './update.svelte';

followUpdates();
