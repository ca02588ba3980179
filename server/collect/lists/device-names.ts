// The usual names of browsers and systems, and corrections where ua-parser-js is wrong or finds nothing. Source: the browsers' own
// documentation and observed user agents; written by hand, 2026-11. Each rule says why it exists.
import type { Device } from '../../vocabulary/event.ts';

/** ua-parser-js's name → ours. Missing names stay as they are. */
export const browserNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Mobile Safari': 'Safari',
    'Mobile Chrome': 'Chrome',
    'Mobile Firefox': 'Firefox',
    'Chrome Headless': 'Chrome',
    'Chrome WebView': 'Chrome WebView',
    'Android Browser': 'Android Browser',
    Mozilla: 'Mozilla',
    IE: 'Internet Explorer',
    IEMobile: 'Internet Explorer',
    'Opera Mobi': 'Opera',
    'Opera Tablet': 'Opera',
    'Opera Coast': 'Opera',
    UCBrowser: 'UC Browser',
    Yandex: 'Yandex Browser',
    QQBrowser: 'QQ Browser',
    '360 Browser': '360 Browser',
    'Samsung Browser': 'Samsung Internet',
    GSA: 'Google App',
    'Edge Mobile': 'Edge',
    'Facebook Messenger': 'Messenger',
    WebKit: 'Safari',
    'Silk Browser': 'Silk',
    PaleMoon: 'Pale Moon',
    LBBROWSER: 'Cheetah Browser',
    Avant: 'Avant Browser',
    '360': '360 Browser',
    '2345': '2345 Explorer',
    NokiaBrowser: 'Nokia Browser',
    weibo: 'Weibo',
    Line: 'LINE',
    QQBrowserLite: 'QQ Browser',
    Kindle: 'Kindle Browser',
    Tesla: 'Tesla Browser',
    Twitter: 'X',
    GNOME: 'GNOME Web',
    Epiphany: 'GNOME Web',
    Webkit: 'Safari',
    // spellings in old and unusual user agents
    chrome: 'Chrome',
    firefox: 'Firefox',
    safari: 'Safari',
    opera: 'Opera',
    conkeror: 'Conkeror',
    avant: 'Avant Browser',
    KAKAOTALK: 'KakaoTalk',
    HeyTap: 'HeyTap Browser',
  }),
);

/** ua-parser-js's names and those of `Sec-CH-UA-Platform`, in lower case → ours. */
export const systemNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'mac os': 'macOS',
    'chromium os': 'Chrome OS',
    'windows phone os': 'Windows Phone',
    blackberry: 'BlackBerry OS',
    'rim tablet os': 'BlackBerry Tablet OS',
    palm: 'Palm OS',
    series40: 'Symbian',
    'android-x86': 'Android',
    sailfish: 'Sailfish OS',
    nettv: '',
    android: 'Android',
    amigaos: 'AmigaOS',
    unix: 'Unix',
    playstation: 'PlayStation',
    ...Object.fromEntries(
      [
        'GNU/Linux',
        'Linux',
        'Ubuntu',
        'Debian',
        'Fedora',
        'Mint',
        'Arch',
        'CentOS',
        'RedHat',
        'Red Hat',
        'SUSE',
        'openSUSE',
        'Gentoo',
        'Slackware',
        'Mandriva',
        'Mageia',
        'Manjaro',
        'Zenwalk',
        'PCLinuxOS',
        'VectorLinux',
        'Linpus',
        'Joli',
        'elementary OS',
        'Sabayon',
        'Raspbian',
        'Deepin',
        'Kubuntu',
        'Xubuntu',
        'Lubuntu',
        'GNU',
        'Linspire',
        'Solus',
        'Trisquel',
        'Hurd',
        'Knoppix',
        'Puppy',
      ].map((name) => [name.toLowerCase(), 'Linux']),
    ),
  }),
);

/** Brands of `Sec-CH-UA` → ours. Missing brands are GREASE, or say nothing. */
export const brandNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Google Chrome': 'Chrome',
    Chromium: 'Chromium',
    'Microsoft Edge': 'Edge',
    'Microsoft Edge WebView2': 'Edge WebView2',
    Opera: 'Opera',
    'Opera GX': 'Opera GX',
    'Opera Mobile': 'Opera Mobile',
    OperaMobile: 'Opera Mobile',
    'Opera Mini Android': 'Opera Mini',
    Brave: 'Brave',
    Vivaldi: 'Vivaldi',
    YaBrowser: 'Yandex Browser',
    Yandex: 'Yandex Browser',
    'Samsung Internet': 'Samsung Internet',
    DuckDuckGo: 'DuckDuckGo',
    'DuckDuckGo Privacy Browser': 'DuckDuckGo',
    Whale: 'Whale',
    CocCoc: 'Coc Coc',
    'Android WebView': 'Chrome WebView',
    'Norton Private Browser': 'Norton Private Browser',
    'Avast Secure Browser': 'Avast Secure Browser',
    'AVG Secure Browser': 'AVG Secure Browser',
    'CCleaner Browser': 'CCleaner Browser',
    'Huawei Browser': 'Huawei Browser',
    HuaweiBrowser: 'Huawei Browser',
    'MIUI Browser': 'MIUI Browser',
    Silk: 'Silk',
    'Amazon Silk': 'Silk',
    'Ecosia Browser': 'Ecosia',
    Atom: 'Atom',
    AvastSecureBrowser: 'Avast Secure Browser',
    AVGBrowser: 'AVG Secure Browser',
    'Opera Crypto': 'Opera Crypto',
    'Opera Air': 'Opera Air',
    Gener8: 'Gener8',
    'Total Browser': 'Total Browser',
    Aloha: 'Aloha',
    AlohaBrowser: 'Aloha',
    'Naver Whale': 'Whale',
    'Yandex Browser': 'Yandex Browser',
    HeadlessChrome: 'Chrome',
    HeadlessEdg: 'Edge',
    'Oculus Browser': 'Oculus Browser',
    'Meta Quest Browser': 'Oculus Browser',
    'Perplexity Comet': 'Comet',
    Comet: 'Comet',
    Perplexity: 'Comet',
    'ChatGPT Atlas': 'ChatGPT Atlas',
    Iron: 'Iron',
  }),
);

/** Browsers that name themselves beside Chrome, wherever in its user agent, by that word in lower case. `Word` or `Word=Name`. */
export const besideChrome = new Map<string, string>(
  (
    'Thorium Sidekick Arc Wavebox Avira=Avira_Secure_Browser Herring Kiwi Cromite Bromite Ulaa Shift Ghost=Ghost_Browser Slimjet Cent=Cent_Browser ' +
    'CentBrowser=Cent_Browser Comodo_Dragon=Comodo_Dragon Dragon=Comodo_Dragon Epic Torch CoolNovo Orbitum Amigo Coowon Citrio Superbird Mustang ' +
    'Nichrome Kinza Blisk Polarity Polypane Sizzy Ghostery Hola=Hola_Browser Colibri Qwant Surf Stargon Soul=Soul_Browser SoulBrowser=Soul_Browser Smooz Uran ' +
    'Chedot Kometa Spark Otter Min Wexond Oxygen Decentr Dissenter Beaker Lulumi LuluBrowser=Lulu_Browser Browser7Star=7Star 7Star Chromodo Rockmelt ' +
    'Flock Wyzo Flow Dia Helium Zen Tor Cliqz Mypal Basilisk Kiwibrowser=Kiwi KiteBrowser=Kite_Browser MintBrowser=Mint_Browser Phoenix=Phoenix_Browser ' +
    'Xvast Viasat=Viasat_Browser Sputnik=Sputnik_Browser Yowser Liebao=Cheetah_Browser 115Browser=115_Browser 2345Explorer=2345_Explorer TheWorld=TheWorld_Browser ' +
    'LBBROWSER=Cheetah_Browser UBrowser=UC_Browser Bidubrowser=Baidu_Browser BIDUBrowser=Baidu_Browser QIHU=360_Browser QHBrowser=360_Browser ' +
    'JioSphere=JioSphere JioBrowser=JioSphere Cake=Cake_Browser CakeBrowser=Cake_Browser Hi Tenta=Tenta_Browser Tungsten Ecosia Vewd Odin=Odin_Browser ' +
    'Lagatos Iridium Vivaldi Kodi Opus Mandarin Naked NeoBrowser=NeoBrowser Neon=Opera_Neon OperaNeon=Opera_Neon Adblock=Adblock_Browser ' +
    'ABB=Adblock_Browser qutebrowser Falkon Insta_Browser Catsxp Catalyst AspectBrowser=Aspect_Browser Coast Skyfire Maelstrom Crow=Crow_Browser'
  )
    .split(' ')
    .map((row) => row.split('='))
    .map(([word = '', name = word]) => [word.toLowerCase(), name.replaceAll('_', ' ')]),
);

/** The same for browsers that are built on Safari or Firefox, which most apps name, too: therefore a list of its own. */
export const besideOthers = new Map<string, string>(
  [
    'Orion WebPositive Zen Floorp Mullvad Midori Otter Falkon Vimb Luakit Nyxt Eolie Angelfish Basilisk Mypal K-Meleon IceCat',
    'Waterfox LibreWolf Iceweasel Iceape Wolvic Fennec Fenix Iceraven Puffin Ulaa Snowhaze DuckDuckGo Vivaldi Maxthon Arc',
  ].flatMap((line) => line.split(' ').map((name) => [name.toLowerCase(), name] as const)),
);

type BrowserRule = { pattern: RegExp; name: string };
/** The first match counts; a capture group is the version. Apps come first, because they also name the web view that they use. */
export const browserRules: BrowserRule[] = [
  // Browsers on iOS count as Safari below, and add their name at the end.
  { pattern: / Brave(?:\/(\d+)|$)/, name: 'Brave' },
  { pattern: /\bDdg\/(\d+)|\bDuckDuckGo\/(\d+)/, name: 'DuckDuckGo' },
  { pattern: /\(Ecosia \w+@(\d+)/, name: 'Ecosia' },
  { pattern: /\bOPX\/(\d+)|\bOPR\/(\d+)(?:\.\d+)* \(Edition GX\)/, name: 'Opera GX' },
  { pattern: /\bOPR\/(\d+)\.\d+\.2254\./, name: 'Opera Mini' }, // its build number since it has been based on Chromium
  { pattern: /\bOPT\/(\d+)/, name: 'Opera' },
  { pattern: /\bFocus\/(\d+)\b.*Mobile|\bKlar\/(\d+)/, name: 'Firefox Focus' },
  { pattern: /\bAlohaBrowser\/(\d+)/, name: 'Aloha' },
  { pattern: /\bNAVER\(inapp;/, name: 'NAVER' },
  { pattern: /\bBarcelona (\d+)/, name: 'Threads' },
  { pattern: /\bThreads (\d+)/, name: 'Threads' },
  { pattern: /\bFBAN\/Messenger|\bFB_IAB\/(?:MESSENGER|Orca)|\bMessengerLite/i, name: 'Messenger' },
  { pattern: /\bTwitter(?:Android| for iPhone| for iPad)?(?:\/(\d+))?(?= |$|\/)/, name: 'X' },
  { pattern: /\b(?:musical_ly|BytedanceWebview|trill)[_/](\d+)?/, name: 'TikTok' },
  { pattern: /\bLinkedInApp(?:\]?\/(\d+))?|\bcom\.linkedin\.android\/(\d+)/, name: 'LinkedIn' },
  { pattern: /\[?Pinterest\/(?:iOS|Android|(\d+))/, name: 'Pinterest' },
  { pattern: /\bReddit\/(?:Version )?(\d+)/, name: 'Reddit' },
  { pattern: /\bWhatsApp\/(\d+)/, name: 'WhatsApp' },
  { pattern: /\bTelegram(?:-Android|bot)?\/(\d+)/, name: 'Telegram' },
  { pattern: /\bSlack(?:_SSB)?\/(\d+)/, name: 'Slack' },
  { pattern: /\bTeams(?:Mobile)?(?:-\w+)?\/(\d+)/, name: 'Microsoft Teams' },
  { pattern: /\bGSA\/(\d+)/, name: 'Google App' },
  { pattern: /\bViber(?:\/(\d+)|$)/, name: 'Viber' },
  { pattern: /\bBing(?:Sapphire|Web)\/(\d+)/, name: 'Bing' },
  { pattern: /\bOutlook-(?:Android|iOS)\/(\d+)/, name: 'Outlook' },
  { pattern: /\bdiscord\/(\d+)/i, name: 'Discord' },
  { pattern: /\bNewsArticle\/(\d+)/, name: 'Toutiao' },
  { pattern: /\bAliApp\(TB\/(\d+)/, name: 'Taobao' },
  { pattern: /\bAliApp\(DingTalk\/(\d+)|\bDingTalk\/(\d+)/, name: 'DingTalk' },
  { pattern: /\bNintendoBrowser\/(\d+)/, name: 'Nintendo Browser' },
  { pattern: /\((?:New )?Nintendo (?:3DS|Switch|WiiU|DSi)/, name: 'Nintendo Browser' },
  {
    pattern: /PLAYSTATION 3|PlayStation (?:4|5|Vita|Portable|Plus)/i,
    name: 'PlayStation Browser',
  },
  { pattern: /UC ?Browser ?\/?(\d+)/, name: 'UC Browser' },
  { pattern: /^UCWEB\/?(\d+)/, name: 'UC Browser' },
  { pattern: /Opera Mini(?:\/|%2F)(\d+)/, name: 'Opera Mini' },
  { pattern: /\bBB10;|PlayBook;|^BlackBerry\w*\/(\d+)|\(BlackBerry;/, name: 'BlackBerry Browser' },
  {
    pattern: /\b(?:SymbianOS|Symbian\/3|Series ?60|S60).*(?:BrowserNG|NokiaBrowser|Safari)(?:\/(\d+))?/,
    name: 'Nokia Browser',
  },
  { pattern: /\bwOSBrowser\/(\d+)/, name: 'webOS Browser' },
  { pattern: /\bChrome Frame|chromeframe\/(\d+)/, name: 'Internet Explorer' },
  { pattern: /\bHuaweiBrowser\/(\d+)/, name: 'Huawei Browser' },
  { pattern: /\bNorton\/(\d+)/, name: 'Norton Private Browser' },
  { pattern: /\bCCleaner\/(\d+)/, name: 'CCleaner Browser' },
  { pattern: /\bPHX\/(\d+)/, name: 'Phoenix Browser' },
  { pattern: /\bKonqueror\b(?:\/(\d+))?/i, name: 'Konqueror' },
  {
    pattern: /\bTizen \d[\d.]*\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) (?:Version|[\d.]+)\/[\d.]+ TV Safari/,
    name: 'Samsung Internet',
  },
  { pattern: /\bArkWeb\/(\d+)/, name: 'ArkWeb' },
  { pattern: /\bDolfin\/(\d+)/, name: 'Dolfin' }, // of Samsung's Bada; Dolphin is another browser
  { pattern: /\bValve Steam\b/, name: 'Steam' },
  { pattern: /\b360[SE]E\b/, name: '360 Browser' },
  { pattern: /\bLadybird\/(\d+)/, name: 'Ladybird' },
  {
    pattern:
      /^Mozilla\/5\.0 \(Linux; (?:U; )?Android[^)]*\).* Version\/4\.0 Chrome\/(\d+)\b[\d.]*(?: Mobile)? Safari\/[\d.]+$/,
    name: 'Chrome WebView',
  },
];

type SystemRule = { pattern: RegExp; name: string; version?: string };
/** The first match counts; a capture group is the version. */
export const systemRules: SystemRule[] = [
  { pattern: /\bWindows Phone(?: OS)? (\d+(?:\.\d+)?)|XBLWP7|ZuneWP7/, name: 'Windows Phone' },
  { pattern: /\bWindows CE\b(?!.*Windows (?:Mobile|Phone))/, name: 'Windows CE', version: '' },
  { pattern: /\bSeries ?40\b|\bS40Ovi/, name: 'Series40', version: '' },
  {
    pattern: /^(?!.*(?:Symbian|Series ?[346]0|S60|BlackBerry|Android|Windows)).*(?:J2ME\/MIDP|\bMIDP-?\d)/i,
    name: 'Java ME',
    version: '',
  },
  {
    pattern: /\bUP\.(?:Browser|Link)\b(?!.*(?:Symbian|Windows))|^(?:DoCoMo|KDDI-|J-PHONE|Vodafone|SoftBank|emobile)/,
    name: 'Java ME',
    version: '',
  },
  // headsets, which name their device or their browser beside Linux or Android
  {
    pattern: /\bHorizon ?OS\b|^(?!.*\bPico).*\bOculusBrowser\b|; (?:Meta |Oculus )?Quest(?: \w+)?(?=[;)]| Build)/,
    name: 'Meta Horizon',
    version: '',
  },
  { pattern: /\bPICO ?OS\/(\d+(?:\.\d+)?)|\bPico(?:Browser|\b.* OS\d| (?:Neo|G\d|4))/i, name: 'PICO OS' },
  { pattern: /\bPSP\b|PlayStation Portable/i, name: 'PlayStation Portable', version: '' },
  { pattern: /\bTitan ?OS\b(?:[ /](\d+(?:\.\d+)?))?/i, name: 'Titan OS' },
  { pattern: /\bWhale ?OS\b/i, name: 'Whale OS', version: '' },
  { pattern: /\bSaphi\b/i, name: 'Saphi', version: '' },
  // a Chromebook runs Android's apps with their own user agent
  { pattern: /\bChromebook\b|\(Linux; Android[^)]*; (?:CrOS|\w+_cheets)\b/i, name: 'Chrome OS', version: '' },
  { pattern: /\bVIDAA\/(\d+(?:\.\d+)?)/, name: 'VIDAA' },
  { pattern: /\bVIDAA\b/, name: 'VIDAA', version: '' },
  { pattern: /\bAndr0id (\d+(?:\.\d+)?)/, name: 'Android' }, // spelt like this by Sony's televisions, so as not to be taken for phones
  { pattern: /(?:Open)?Harmony(?:OS)?[ /]?(\d+(?:\.\d+)?)?/, name: 'HarmonyOS' },
  {
    pattern: /\bwatchOS\b(?:\/(\d+(?:\.\d+)?))?|\[Watch OS,(\d+(?:\.\d+)?)|^Watch\d+,\d+\/(\d+(?:\.\d+)?)/,
    name: 'watchOS',
  },
  {
    pattern: /\btvOS[ /](\d+(?:\.\d+)?)|\bAppleTV[\d,]*\/(\d+(?:\.\d+)?)|\(Apple ?TV;.*? OS (\d+(?:[_.]\d+)?)/,
    name: 'tvOS',
  },
  { pattern: /\bvisionOS[ /](\d+(?:\.\d+)?)/, name: 'visionOS' },
  // Since version 26, Safari freezes iOS at 18_6 or 18_7 and reveals the real version as its own: on iOS the two are the same.
  {
    pattern: /\((?:iPhone|iPad|iPod)[^)]{0,60}OS 18_[67][^)]{0,60}\).{0,120} Version\/((?:2[6-9]|[3-9]\d)(?:\.\d+)?)/,
    name: 'iOS',
  },
  { pattern: /\((?:iPhone|iPad|iPod(?: touch)?);(?:[^)]*?OS (\d+(?:_\d+)?))?/, name: 'iOS' },
  { pattern: /\bDarwin\/[\d.]+ \((?:x86_64|arm64|i386|Power)/, name: 'macOS', version: '' },
  { pattern: /\bKAIOS\/(\d+(?:\.\d+)?)/i, name: 'KaiOS' },
  { pattern: /\bRoku|\bDVP-(\d+\.\d+)/, name: 'Roku OS' },
  { pattern: /^(?!.*PlayStation).*Silk\/|\bKF[A-Z]{2,5}WI\b(?=.*Build)/, name: 'Android', version: '' },
  { pattern: /\(Mobile; (?:[^)]*; )?rv:\d|\((?:TV|Tablet); rv:/, name: 'Firefox OS', version: '' },
  { pattern: /\bWeb0S\b|\bwebOS\.TV\b|\bNetCast\b/, name: 'webOS', version: '' },
  { pattern: /\bSunOS\b/, name: 'Solaris', version: '' },
  { pattern: /\bIRIX\b/, name: 'IRIX', version: '' },
  { pattern: /\bOS\/2\b/, name: 'OS/2', version: '' },
  { pattern: /\bHaiku\b/, name: 'Haiku', version: '' },
  { pattern: /\bAmiga(?:OS)?\b|AmigaVoyager/, name: 'AmigaOS', version: '' },
  { pattern: /\bPalm(?:OS|Source)\b/, name: 'Palm OS', version: '' },
  { pattern: /\bBREW\b/, name: 'BREW', version: '' },
  { pattern: /\bWin 9x 4\.90\b/, name: 'Windows', version: 'ME' },
  { pattern: /\bWinNT4|Windows NT 4\.0/, name: 'Windows', version: 'NT 4' },
  { pattern: /Windows XP[;)]/, name: 'Windows', version: 'XP' },
  // Apps name the system in brackets, after a name that may contain the same word: com.google.android.youtube/2.4 (Linux; U; Android 2.3.5)
  { pattern: /\(Linux; ?(?:U; |arm(?:_64)?; )?Android (\d+(?:\.\d+)?)/, name: 'Android' },
  { pattern: /^[^(]{1,120}\([^()]{0,120}; iOS (\d+(?:\.\d+)?)/, name: 'iOS' },
  { pattern: /^\[FBAN\/FBIOS;.*;FBSV\/(\d+(?:\.\d+)?)/, name: 'iOS' },
  { pattern: /^\[FBAN\/FB4A;.*;FBSV\/(\d+(?:\.\d+)?)/, name: 'Android' },
];

type DeviceRule = { pattern: RegExp; device: Device };
/** The first match counts. */
export const deviceRules: DeviceRule[] = [
  { pattern: /\((?:PC|2in1); (?:Open)?Harmony|\bChromebook\b|\bCrOS\b/, device: 'desktop' },
  { pattern: /\(iPad\d|FBDV\/iPad/, device: 'tablet' },
  { pattern: /FBDV\/iP(?:hone|od)/, device: 'mobile' },
  {
    pattern:
      /\bwatchOS\b|\bWatch ?OS\b|\bWatch\d+,\d|\bWear ?OS\b|\bWatch (?:Urbane|Sport|Style|R\b)|ZenWatch|TicWatch|\bSM-R\d{3,4}[A-Z]?\b|\bSM-V700|LEO-(?:BX9|DLXX)|NB RunIQ|KidPhone|\bLEM\d+|\bGlass \d/,
    device: 'wearable',
  },
  {
    pattern:
      /OculusBrowser|; (?:Meta |Oculus )?Quest(?: \d\w?| Pro)?(?:[;)]| Build)|Mobile VR\b|\bPico (?:Neo|G2|4|A\d)|\bPico\b.* OS\d|\bPICO ?OS\b|\bHorizon ?OS\b|\bvisionOS\b|\bVR[- ]?L42\b|\bVR Safari\/|\bVIVE (?:Focus|XR)/i,
    device: 'wearable',
  },
  {
    pattern:
      /PLAYSTATION|\bXbox\b(?!.*(?:Windows Phone OS|IEMobile\/9|WP7))|Nintendo|Bunjalloo|\bOUYA\b|GAMEPAD|\bDreamKey\b|DreamPassport|Retroid|ANBERNIC|\bRG\d{3}[A-Z]|\bRGCUBE|Razer Edge|SHIELD Portable|\bSteamDeck\b|Valve Steam Gamepad|Sega ?Saturn|Planetweb/i,
    device: 'console',
  },
  {
    pattern:
      /\bTesla(?:\/| Qt| Model)|QtCarBrowser|Android Automotive|\bAAOS\b|\bPolestar(?! Phone)|\bVolvo |\bBMW \d|\bMBUX\b|\bCarPlay\b/i,
    device: 'car',
  },
  // Televisions name their platform, their maker's browser, or a television standard.
  {
    pattern:
      /\bVIDAA\b|\bTitan ?OS\b|\bWhale ?OS\b|\bSaphi\b|HbbTV|SMART[-_ ]?TV|Google ?TV|Android ?TV|\bApple ?TV|AppleTV|CrKey|Chromecast|\bBRAVIA|\bAFT[A-Z0-9]{1,7}\b|FIRETV|\bRoku|\bDVP-\d|NetCast|Web0S|webOS\.TV|WebAppManager|Large Screen|\bTV Safari\b|Safari\/[\d.]+ TV$|NETTV|PhilipsTV|SonyCEBrowser|\bSonyDTV|Espial|CE-HTML|DLNADOC|\(DTV\b|InettvBrowser|\bVIZIO|ViziOS|\bTiVo\b|Opera TV|\bOMI\/|\bWebTV\b|\bKylo\/|Viera|AQUOS(?:Browser|TV)|\bMaple\b|DuneHD|, ?wire(?:d|less)\b|v\.tv\.|\bLGE;|\bLG[ -]?TV\b|\bTSBNetTV|\bPOV_TV|\bFreebox\b|Streaming (?:Stick|Box)|BDP(?:layer|\d)|\bNSZ-GS|\bMAG\d{3}\b|\bOpenTV|\bANTGalio|Nexus Player|\bADT-\d|SHIELD (?:Android|TV|PRO)|\bMITV|\bMiBOX|\bMi TV|Hisense.*TV|\bTV Store\b|\bEC6108|-LED\d{2}[A-Z]|(?:^|[^a-z])STB(?:$|[^a-z])|\bComcast\/|\b[A-Z]-STREAM\b/i,
    device: 'tv',
  },
];

/**
 * Models whose makers number phones and tablets differently. They are needed where an app's web view or an old Chrome wrongly says Mobile.
 */
export const tabletModel =
  /\bSM-[TPX]\d{3}|\bGT-P\d{4}|\bNexus (?:7|9|10)\b|\bPixel (?:C|Tablet)\b|\bTB-?[A-Z0-9]{4}|\b[A-Z]{3,4}\d?-W\d9\b|\bKF[A-Z]{3,5}\b|\bOPD\d{4}|\b(?:Redmi|Xiaomi|Mi|realme|OPPO|OnePlus|HONOR|vivo|moto|Lenovo|MediaPad|MatePad) ?(?:Pad|Tab)\b/i;
export const phoneModel = /\bSM-[ACEFGJMNS]\d{3}|\bPixel (?:\d|XL\b|Fold\b)/i;

/** Android set-top boxes and televisions that only their model reveals. Phones are excluded already, since they say Mobile. */
export const boxModel =
  /(?:^|[^a-z])(?:tv|stb|dvb|iptv|ott|stream|streamer)(?:$|[^a-z])|(?<!\bB|\bBN|D)tv\d*\b|(?<!\d)[48]K(?![a-z\d])|uhd(?![a-z])|\b(?:matador|evpad|humax|sagemcom|arris)|box(?:$|[^a-z])|stick|(?:android|smart|atv|mdtv|haieratv|beyond|oled|qled|uhd)[_ -]?tv|(?<![-\w])(?:MXQ|MBOX|H96|X96|X88|X92|A95X|Z28|T95|TX[2-9](?!\d\d)|HK1|KM[2-9](?:PRO|_|\b)|KI{1,3}\b|BB2|M8S|MX-?4K|MX9|V88|S905|RK3\d{3}|GT-?King|GT1\b|R68|UT\d|TOX3|Z1\d (?:Pro|Alfa|Ultra)|DV8\d{3}|SEI\d|EM150|ES[1-3]40|KANT-|TPM\d{3}E|QM1\d{2}E|QV1\d{2}E|AND1E|PUS\d|B8\d{2}[A-Z]|VIP\d{4}|BHX|BID-AT)|tanix|mecool|beelink|\bminix\b|\bNEO[- ][XUZ]\d|ugoos|zidoo|vontar|formuler|egreat|himedia|openbox|dreambox|\bKIVI|^[ ;]*(?:[A-Z]+[ _-])?(?:19|2[2-8]|32|39|4[0-9]|5[058]|6[05]|7[057]|8[56]|98)[A-Z]{1,6}\d{2}|\bLED\d{2}|ELED-|-LED\d/i;
