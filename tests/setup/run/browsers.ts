// Runs before each file of the browser tests: its tests share a browser.
import { afterAll } from 'vitest';
import { keepBrowsers } from '../browser/chromium.ts';

afterAll(keepBrowsers());
