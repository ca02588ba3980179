import { defineConfig } from 'astro/config';
import footfall from 'footfall/astro';

export default defineConfig({
  integrations: [footfall({ site: 'example.com', source: 'https://stats.example.com/foot.js' })],
});
