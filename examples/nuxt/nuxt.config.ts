export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  modules: ['footfall/nuxt'],
  footfall: { site: 'example.com', source: 'https://stats.example.com/foot.js' },
});
