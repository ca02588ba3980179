// Hosts that show copies of other people's pages, whose snippets then run there: nobody visits the site itself.
// Written by hand, 2026-11, from the services' own addresses.
import { domainsOf } from '../sources/domains.ts';

const HOSTS = new Set(
  [
    // archives
    'archive.org archive-it.org archive.today archive.ph archive.is archive.li archive.vn archive.fo archive.md webarchive.org.uk',
    'arquivo.pt webarchive.loc.gov perma.cc webcitation.org ghostarchive.org megalodon.jp conifer.rhizome.org timetravel.mementoweb.org',
    'webarchive.nationalarchives.gov.uk swap.stanford.edu wayback.vefsafn.is webarchive.nla.gov.au trove.nla.gov.au haw.nsk.hr gyo.tc wayback.webarchiv.cz',
    // caches, and services that serve a page in another form
    'webcache.googleusercontent.com translate.googleusercontent.com cc.bingj.com bingj.com translatoruser-int.com translatetheweb.com',
    'yandexwebcache.net turbopages.org cached-web.com cachedview.nl coralcdn.org nyud.net ampproject.org bing-amp.com amp.cloudflare.com',
    '12ft.io r.jina.ai outline.com printfriendly.com txtify.it googleweblight.com papago.naver.net croxyproxy.com',
    'hghltd.yandex.net microsofttranslator.com translate.yandex.net translate.yandex.com z5h64q92x9.net translate.baiducontent.com fanyi.baidu.com',
    'translate.weblio.jp freedium.cfd removepaywall.com proxysite.com 4everproxy.com kproxy.com filterbypass.me',
    // previews of editors, themes and templates
    'editmysite.com shopifypreview.com editor.wix.com wixsite-preview.com preview.webflow.com builder.io googleusercontent.com',
    'stackblitz.io webcontainer.io webcontainer-api.io csb.app codesandbox.io githubpreview.dev app.github.dev gitpod.io codepen.io cdpn.io',
    'design.webflow.com jsfiddle.net fiddle.jshell.net jsbin.com lovableproject.com framercanvas.com htmlpreview.github.io raw.githack.com rawcdn.githack.com',
    'cdn.statically.io repl.co replit.dev',
  ].flatMap((line) => line.split(' ')),
);

/** True for a host that shows copies of pages, by itself or a domain above it. */
export const showsCopies = (hostname: string): boolean => domainsOf(hostname).some((domain) => HOSTS.has(domain));
