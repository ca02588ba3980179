// Hosts that show copies of other people's pages, whose snippets then run there: nobody visits the site itself.
// Written by hand, 2026-11, from the services' own addresses.
import { domainsOf } from '../sources/domains.ts';

const HOSTS = new Set(
  [
    // archives
    'archive.org archive-it.org archive.today archive.ph archive.is archive.li archive.vn archive.fo archive.md webarchive.org.uk',
    'arquivo.pt webarchive.loc.gov perma.cc webcitation.org ghostarchive.org megalodon.jp conifer.rhizome.org timetravel.mementoweb.org',
    // caches, and services that serve a page in another form
    'webcache.googleusercontent.com translate.googleusercontent.com cc.bingj.com bingj.com translatoruser-int.com translatetheweb.com',
    'yandexwebcache.net turbopages.org cached-web.com cachedview.nl coralcdn.org nyud.net ampproject.org bing-amp.com amp.cloudflare.com',
    '12ft.io r.jina.ai outline.com printfriendly.com txtify.it googleweblight.com papago.naver.net croxyproxy.com',
    // previews of editors, themes and templates
    'editmysite.com shopifypreview.com editor.wix.com wixsite-preview.com preview.webflow.com builder.io googleusercontent.com',
    'stackblitz.io webcontainer.io webcontainer-api.io csb.app codesandbox.io githubpreview.dev app.github.dev gitpod.io codepen.io cdpn.io',
  ].flatMap((line) => line.split(' ')),
);

/** True for a host that shows copies of pages, by itself or a domain above it. */
export const showsCopies = (hostname: string): boolean => domainsOf(hostname).some((domain) => HOSTS.has(domain));
