// Corrections of isbot (5.2.3), in both directions. Written by hand, 2026-11-21, from the names of known bots and from people's user agents
// that were taken for bots. Checked against the corpora in `agents/bots.test.ts`.

/**
 * Bots that add a word of their own to an ordinary browser's user agent. Matched as whole words, so that `yeti` is not found in the model
 * name Yeti5.
 */
export const botWords = new Set(
  [
    // monitors, speed tests and screenshot services
    'gtmetrix ylt ptst phantomas webmon grafana datadogsynthetics datadogsyntheticsbrowser ruxitsynthetic dynatrace catchpoint',
    'thousandeyes nodeping uptime-kuma uptimia ohdear.app site24x7 pingadmin.ru checkhost eyemonit browsershots browsermob',
    'pagepeeker webthumbnail miniature.io urlbox screenshotapi apiflash htmlcsstoimage thum.io rendertron prerender prerendercloud',
    'debugbear calibreapp yellowlabtools sitebulb zooshot gomeza gomezagent k6 percy applitools chromatic ghostinspector',
    'cookiehub cookiebot morningscore siteimprove probely botify seobility seokicks seolyt seekport marketgoo hypestat builtwith',
    'whatcms wappalyzer netcraft securitytrails riddler assetnote netsystemsresearch l9tcpid l9explore project-resonance',
    'recordedfuture valimail virustotalcloud tlsprobe nettrack evc-batch woorankreview kiwitcms-gitops microsoft-flow phpmyadmin',
    // feed readers, link previews and archives
    'bazqux bloglovin blogtrottr bloglines netvibes kouio silverreader simplepie gregarius castopod nuzzel tweetedtimes embedly',
    'iframely vkshare hatena-favicon hatenabookmark github-camo opengraph.io trendsmapresolver shareaholic muckrack',
    'substackcontentfetch pocketimagecache ramblermail facebookcatalog meta-externalads snapchatads friendica xenforo heritrix',
    'brozzler wpull grab-site hunchly conifer crocoite squidwarc monolith single-file singlefile pdfcrowd pdfshift docraptor weasyprint',
    'gotenberg treo.sh treo grafana-k6 cardyb meltwaternews ezgif brandverity turnitin grammarly scamadviserexternalhit blackboardally',
    // crawlers
    'aboundex arachni bubing dataprovider ezooms gigablastopensource ichiro shopalike larbin ltx71 mnogosearch qwantify shopwiki',
    'spinn3r tarmotgezgin vagabondo wesee wotbox slurp yeti naverjapan pompos emailwolf catexplorador tracemyfile',
    'weborama-fetcher wikido presearchcom barkrowler adbeat webdatastats dataxu veryhip muscatferret choosito ryowlengine plukkie',
    'megaindex.ru junglekeythumbnail cincraw deepnoc abonti domainappender adauth linkwalker netzzappen tchelebi sublinq',
    'hackermention owler imagesift tactiscout geedoproductsearch backupland ttd-content tineye htmlyse who.is 2gdpr bdfetch',
    'depspid golfe inspici pandalytics pigafetta sbider researchcyber.net vertexwp sqalix findfiles.net linkbloom ias_wombles',
    'alertsite alliai fastdast fastmailua netvigie onetrust webstatus247 wp-compress cloudtrellis notifyninja poduptime',
    'modatscanner udv-ai-research infoguarddisclosureresearch mixnodecache lac_iaharvester fragfinn admantx boardreader',
    'checkmarknetwork interactsh domainextractor sslshed survey-security-dot-txt linkchain geckotrail lolisec masjesu hakai',
    'windowspowershell powershell nikto checkly proofpoint nightmare lumar usercentrics ads-naver trendmicro',
    'prorata rootevidence nuhk grub-client teoma htdig mogimogi dataparksearch findlinks bidtellect adreview botpoke xenu',
    'ktxn libredtail honeygain clickagy proximic webzio twingly yahoocachesystem macocu classla zeno punkmap sitesucker sixy.ch sprinklr genieo gobuster munin collectd prometheus embarcadero',
    // HTTP libraries and headless browsers
    'jsdom happydom happy-dom linkedom axios undici python-requests python-urllib aiohttp httpx wget curl guzzle guzzlehttp got',
    'reqwest restsharp mechanize www-mechanize faraday postmanruntime insomnia trafilatura sqlmap deno pa11y lavf aria2 boto3',
    'scrapy colly go-resty go-http-client hackney request-promise typhoeus electron-fetch reactornetty libcurl ruby node-fetch',
    'okhttp apache-httpclient jakarta winhttp libwww-perl lwp-request feedparser',
  ].flatMap((line) => line.split(' ')),
);

type Rule = { pattern: RegExp; reason: string };

/** Bots that need more than one word to be recognised. `isAlsoAnApp`: in a web view, the word is in the name of an app. */
export const botRules: (Rule & { isAlsoAnApp?: true })[] = [
  {
    pattern: /like Gecko\)?; ?compatible;|(?:Safari|Chrome)\/[\d.]+ \(compatible;/,
    reason: 'how crawlers mark a user agent that they copied from a browser',
  },
  {
    pattern:
      /^Mozilla\/[\d.]+ \(compatible; (?!MSIE|Konqueror)[^;()]{1,64}(?:;(?! ?(?:Windows|Linux|Mac|X11|U;|MSIE))[^;()]{1,64}){0,3}\)$/,
    reason: 'only names where browsers name the system',
  },
  {
    pattern:
      /screen-?(?:shot|grab|cap)|(?:html|url|page|web)-?(?:2|to)-?(?:pdf|ima?ge?|png|jpe?g)|thumbnail|archiv(?:ebox|er|ing)|web(?:-?archive|recorder)|browsertrix|(?:site|page|web)-?(?:speed|page-?test|audit|vitals)|speed-?(?:curve|vitals)|synthetic/i,
    reason: 'programs that draw, archive or measure pages',
    isAlsoAnApp: true,
  },
  {
    pattern: /\(X11; Linux x86_64\).* Safari\/[\d.]+;? [\w.]+-Browser\//,
    reason: 'browsers in the cloud, rented to agents: Steel-Browser, Kernel-Browser',
  },
  {
    pattern: /^["']|Mozlila|\bBulid\//,
    reason: 'scripts that copied a user agent with its quotation marks, or misspelt',
  },
  { pattern: /\bmrfCompass-/, reason: "Marfeel's crawlers, each named after a dog" },
  { pattern: / [0-9a-f]{32}$/, reason: 'a key as the last word, by which sites admit a scanner' },
  { pattern: /\bTSM-turingos/, reason: "Cloudflare's synthetic tests, numbered" },
  {
    pattern: /\bCode\/\d.*Electron\//,
    reason: 'Visual Studio Code: its AI agents fetch pages; people do not browse in it',
  },
  { pattern: /\bY!J\b/, reason: "Yahoo! Japan's crawlers, Y!J-ASR and others" },
  { pattern: /W3C[-_](?:checklink|mobileOK|Unicorn)|Nmap Scripting|SSL ?Labs/i, reason: 'validators and probes' },
  { pattern: /(?:Comodo|Sectigo) DCV|Kaspersky Lab CFR/i, reason: 'checks of certificates, and of links in e-mails' },
  {
    pattern: /Windows NT 9\.0|^Mozilla\/5\.0 Gecko\//,
    reason: 'systems and formats that never existed: toolkits of comment spammers',
  },
  {
    pattern:
      /^Mozilla\/5\.0 \((?!.*(?:Gecko|KHTML|WebKit|MSIE|Trident|Presto|Goanna|Servo|LibWeb|Ladybird|NetSurf|Dillo|NetFront|Opera|Firefox|Safari|Chrome|Android|iPhone|iPad|PlayStation|Nintendo|Tizen|FBAN|NetTV|BlackBerry|webOS|Symbian))/i,
    reason: 'a browser of this form names its rendering engine: Reaver, synchronisers and updaters do not',
  },
  {
    pattern: /\b(?:git-commit\/|UpstreamClient\(|go\/go\d|CFNetwork\/[\d.]+$)/,
    reason: 'clients of registries and other libraries, which name what they were built with',
  },
  {
    pattern: /Page Modified Pinger|Domains Project|Barracuda Sentinel/i,
    reason: 'crawlers with a name of several words',
  },
];

/**
 * People whom isbot takes for bots because of the form of their user agent, or because of a word in an app's name (news, tools, feed,
 * .com). They still count as bots if SELF_DECLARED matches.
 */
export const personRules: (Rule & { isApp?: true })[] = [
  { pattern: /; wv\)/, reason: "Android's web view: the name of an app follows", isApp: true },
  {
    pattern: /\((?:iPhone|iPad|iPod)[^()]{0,80}\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) Mobile\/\w/,
    reason: 'the web view of iOS, which names no Safari',
    isApp: true,
  },
  { pattern: /\bMicroMessenger\/\d/, reason: 'WeChat: some of its pages run in a process called tools' },
  {
    pattern:
      /\b(?:HbbTV|SMART-?TV|SmartTV|Web0S|NetCast|NETTV|VIDAA|BRAVIA|AppleTV|AFT[A-Z]{1,4}|CrKey|GoogleTV|Opera TV|Viera|InettvBrowser|SonyCEBrowser)\b/,
    reason: 'televisions, which name their maker and often its address',
  },
  { pattern: /\bElectron\/\d/, reason: 'desktop programs that are built on a browser' },
  { pattern: /\bProfile\/MIDP-\d/i, reason: 'feature phones: Java is their platform here, not an HTTP library' },
  { pattern: /^\[FBAN\/FB/, reason: "Facebook's app without its web view's usual words" },
  {
    pattern:
      /^(?:iCab|OmniWeb|NetPositive|IBrowse|Arachne|HotJava|Amaya|NetSurf|Dillo|Lynx|Links|ELinks|w3m|Edbrowse|Emacs-w3m|Uzbl)[/ ]/i,
    reason: 'text-mode, lightweight and early browsers',
  },
  { pattern: /\bMAUI\b.*Browser/i, reason: "MediaTek's feature phones" },
  { pattern: /DreamKey\/|DreamPassport\//, reason: "Dreamcast's browsers" },
];

/**
 * Words by which bots declare themselves, whatever browser they imitate. A contact address alone does not count: televisions and apps carry
 * their makers', which isbot takes for a bot's.
 */
export const SELF_DECLARED =
  /(?<!\bcu)bots?(?:\b|[\d_/-])|crawl|spider|scrap[ei]|\bcompatible\b|lighthouse|page ?speed|preview|monitor|synthetic|archiver|pingdom|weblight|agent\b/i;

/**
 * The same for a web view, which is followed by the name of an app: TravelAgent, BabyMonitor and SpiderSolitaire are games and tools of
 * people. There only what no app calls itself counts.
 */
export const SELF_DECLARED_IN_APP =
  /(?<!\bcu)bots?(?:\b|[\d_/-])|crawler|crawling|spider\b|scrap(?:er|ing|y)\b|\bcompatible\b|lighthouse|page ?speed|\barchiver|pingdom|weblight|(?:\bAI|[-_. ])agent\b|\bpreview\b/i;

/**
 * Words for browsers, their engines, and devices that have one. A user agent without any of them belongs to a program, whatever its name: the
 * system alone (`kubectl/v1.29 (linux/amd64)`) says only where it runs.
 */
export const NAMES_A_CLIENT =
  /^(?:Mozilla|Opera)\/|AppleWebKit|Gecko\/\d|KHTML|Firefox|MSIE \d|Trident|Amiga|Symbian|Series ?\d0|MIDP|BREW|BlackBerry|Nokia|Samsung|SonyEricsson|UP\.Browser|UCWEB|Zenwalk|Obigo|NetFront|DoCoMo|KDDI|J-PHONE|SoftBank|Vodafone|webOS|Tizen|HbbTV|SmartTV|Roku|AppleTV|watchOS|PlayStation|Nintendo|Xbox|Instagram|FBAN/i;

/**
 * Parts of people's user agents that isbot misreads. They are removed before isbot sees the text: it finds words like news, google, spider,
 * discovery, preview, grab and .com anywhere, also in names of phones, televisions and apps.
 */
export const misread: Rule[] = [
  {
    pattern: /Google ?TV|GoogleLens|Google ?Earth(?: Pro)?|Google\.[A-Z]\w+/g,
    reason: "Google's televisions and apps",
  },
  {
    pattern: /\b(?:com|net|org|jp|kr|cn|ru|de|fr|tv|io)\.[a-z]\w*(?:\.\w+)+/g,
    reason: 'package names of Android apps with a web view',
  },
  { pattern: /\b(?:Amazon|Radio)\.com\/\d[\d.]*/g, reason: "a shop's app and a radio app" },
  {
    pattern: /\b(?:[A-Z]\w*|Opera )News\w*(?:\/[\d.]+)?(?= |$)/g,
    reason: 'news apps: NewsArticle, SohuNews, AppleNews, Opera News',
  },
  { pattern: /\bNewsArticle\/[\d.]+/g, reason: "ByteDance's Toutiao" },
  { pattern: /Sogou ?(?:Mobile ?Browser|Explorer|Search|MSE)\S*|MetaSr/g, reason: "Sogou's browsers, not its crawler" },
  { pattern: /Safari(?: |%20)?Technology(?: |%20)?Preview/g, reason: "Apple's browser for developers" },
  { pattern: /\bGrab(?:Food|Pay)?\/[\d.]+/g, reason: 'a ride and delivery app in South-East Asia' },
  {
    pattern: /OptimizedIE\d|chromeframe\/?[\d.]*|\bAlexa Toolbar|SearchToolbar [\d.]+/g,
    reason: 'add-ons of Internet Explorer',
  },
  {
    pattern: /\bQRScan\w{0,20}|\b[A-Za-z]{1,20}Scanner\/[\d.]+/g,
    reason: 'QR code readers, which open pages for people',
  },
  {
    pattern: /\bFirePHP\/[\d.]+|\bAnt\.com Toolbar [\d.]+|Embedded Web Browser from: http:\/\/bsalsa\.com\//g,
    reason: 'add-ons and components of older browsers',
  },
  {
    pattern: /(?<=\bIEMobile\/[\d.]{1,6};)[^()]{0,80}/g,
    reason: 'makers and models of Windows phones: HTC Radar',
  },
  { pattern: /\bBada\/\d[\d.]*/g, reason: "Samsung's phones of 2010" },
  { pattern: /\bJavaFX\/\d[\d.]*/g, reason: 'web views of Java desktop programs' },
  { pattern: /\|(?=[^()]{0,80}\))/g, reason: 'values in brackets after the name of an app: Alipay' },
  { pattern: /\bCUBOT\b|\bCUBOT_\w*/g, reason: 'Cubot phones, in every spelling' },
  { pattern: /(?<=Safari\/604\.1 )News[A-Z]\w*/g, reason: 'news apps on iOS: NewsBreak' },
];

/**
 * The maker's name of an Android device, in the first brackets: POWER BOT, OSCAL Spider 8, Discovery II. A bot that names itself there adds
 * a version, an address or `compatible`.
 */
export const ANDROID_MODEL =
  /\((Linux; (?:U; |arm(?:_64)?; )?Android[^;)]{0,12})(?:;[^()]{0,160}(?:\([^()]{0,40}\)[^()]{0,80})?)\)/;
export const NAMES_ITSELF = /https?:|compatible|[@+]|catchpoint|(?:bot|spider|crawler)[\w-]*\/\d/i;
