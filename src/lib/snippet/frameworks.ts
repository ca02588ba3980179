// The snippet as each framework needs it, and where to put it. Text that is shown, never run.

import { t } from '../../../server/vocabulary/habits/messages.ts';
import { OWN_MACHINE } from './script-reach';

type Form = { name: string; label: string; where: string; code: string };

function snippet(domain: string, origin: string): string {
  return `<script async ${attributesFor(domain)} src="${origin}/foot.js"></script>`;
}

/** Pages on the owner's own machine are counted only with `data-dev`. */
function attributesFor(domain: string): string {
  return OWN_MACHINE.test(domain) ? `data-site="${domain}" data-dev` : `data-site="${domain}"`;
}

export function forms(domain: string, origin: string): Form[] {
  const source = `${origin}/foot.js`;
  const tag = snippet(domain, origin);
  const attributes = attributesFor(domain);
  const isDev = OWN_MACHINE.test(domain);
  return [
    { name: 'html', label: 'HTML', where: t('In the <head> of every page.'), code: tag },
    {
      name: 'next',
      label: 'Next.js',
      where: t('In app/layout.tsx, or in pages/_app.tsx with the pages router.'),
      code: nextLayout(`<Script async ${attributes} src="${source}" />`),
    },
    {
      name: 'sveltekit',
      label: 'SvelteKit',
      where: t('In src/app.html, before %sveltekit.head%.'),
      code: `<head>
  ${tag}
  %sveltekit.head%
</head>`,
    },
    {
      name: 'astro',
      label: 'Astro',
      where: t('In the <head> of your layout. is:inline keeps Astro from bundling it.'),
      code: `<script is:inline async ${attributes} src="${source}"></script>`,
    },
    {
      name: 'nuxt',
      label: 'Nuxt',
      where: t('In nuxt.config.ts.'),
      code: `export default defineNuxtConfig({
  app: {
    head: {
      script: [{ src: '${source}', async: true, 'data-site': '${domain}'${isDev ? ", 'data-dev': ''" : ''} }],
    },
  },
});`,
    },
    {
      name: 'vue',
      label: 'Vue, React',
      where: t('In the <head> of index.html. Single-page apps are counted without further code.'),
      code: tag,
    },
    {
      name: 'wordpress',
      label: 'WordPress',
      where: t('Upload the plugin from {address} under Plugins, or add this to functions.php of your theme.', {
        address: `${origin}/footfall-wordpress.zip`,
      }),
      code: `add_action('wp_head', function () { ?>
  ${tag}
<?php });`,
    },
    {
      name: 'gtm',
      label: 'Tag Manager',
      where: t('As a Custom HTML tag on All Pages. Or import the template {address}, which also sends events.', {
        address: `${origin}/footfall-gtm.tpl`,
      }),
      code: `<script>
  var script = document.createElement('script');
  script.async = true;
  script.dataset.site = '${domain}';${isDev ? "\n  script.dataset.dev = '';" : ''}
  script.src = '${source}';
  document.head.appendChild(script);
</script>`,
    },
    {
      name: 'shopify',
      label: 'Shopify',
      where: t('Online Store → Themes → Edit code → layout/theme.liquid, before </head>.'),
      code: tag,
    },
  ];
}

function nextLayout(script: string): string {
  return `import Script from 'next/script';

export default function RootLayout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en">
      <body>
        {children}
        ${script}
      </body>
    </html>
  );
}`;
}
