import { footfallPlugin } from 'footfall/vue';
import { createApp, h } from 'vue';
import { createRouter, createWebHistory } from 'vue-router';
import App from './App.vue';

const page = (title: string) => ({ render: () => h('h1', title) });
const routes = [
  { path: '/', component: page('Home') },
  { path: '/pricing', component: page('Pricing') },
];

createApp(App)
  .use(createRouter({ history: createWebHistory(), routes }))
  .use(footfallPlugin, { site: 'example.com', source: 'https://stats.example.com/foot.js' })
  .mount('main');
