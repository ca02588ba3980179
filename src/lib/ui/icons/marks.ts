// Which mark stands for a browser, a system, a source or an AI provider. The marks are those of @iconify-json/logos; vite.config.ts makes
// a file of each. A name without a row gets its icon from the server, or a letter.

const BROWSERS: Record<string, string> = {
  chrome: 'Chrome|Chrome WebView',
  firefox: 'Firefox|Firefox Focus',
  safari: 'Safari',
  'microsoft-edge': 'Edge|Edge WebView2',
  opera: 'Opera|Opera Mini|Opera GX|Opera Mobile|Opera Crypto|Opera Air|Opera Touch',
  brave: 'Brave',
  'vivaldi-icon': 'Vivaldi',
  internetexplorer: 'Internet Explorer',
  duckduckgo: 'DuckDuckGo',
  'android-icon': 'Android Browser',
  'gnome-icon': 'GNOME Web',
  'google-icon': 'Google App',
  bing: 'Bing',
  'openai-icon': 'ChatGPT Atlas',
  'perplexity-icon': 'Comet',
  facebook: 'Facebook',
  messenger: 'Messenger',
  'instagram-icon': 'Instagram',
  'linkedin-icon': 'LinkedIn',
  pinterest: 'Pinterest',
  'reddit-icon': 'Reddit',
  'tiktok-icon': 'TikTok',
  'whatsapp-icon': 'WhatsApp',
  telegram: 'Telegram',
  'slack-icon': 'Slack',
  'discord-icon': 'Discord',
  'microsoft-teams': 'Microsoft Teams',
  x: 'X',
};

const SYSTEMS: Record<string, string> = {
  'microsoft-windows-icon': 'Windows|Windows Phone|Windows Mobile|Windows CE',
  apple: 'macOS|iOS|tvOS|watchOS|visionOS',
  'android-icon': 'Android',
  'linux-tux': 'Linux',
  chrome: 'Chrome OS',
  freebsd: 'FreeBSD',
};

/** Sources by the names of our lists, and providers by those of their agents. */
const PLACES: Record<string, string> = {
  'google-icon': 'Google',
  bing: 'Bing',
  duckduckgo: 'DuckDuckGo',
  brave: 'Brave Search|Brave',
  facebook: 'Facebook',
  messenger: 'Messenger',
  'instagram-icon': 'Instagram',
  'linkedin-icon': 'LinkedIn',
  'reddit-icon': 'Reddit',
  'youtube-icon': 'YouTube',
  'github-icon': 'GitHub',
  'gitlab-icon': 'GitLab',
  ycombinator: 'Hacker News',
  'stackoverflow-icon': 'Stack Overflow',
  producthunt: 'Product Hunt',
  pinterest: 'Pinterest',
  'tiktok-icon': 'TikTok',
  'mastodon-icon': 'Mastodon',
  bluesky: 'Bluesky',
  'medium-icon': 'Medium',
  twitch: 'Twitch',
  'vimeo-icon': 'Vimeo',
  'spotify-icon': 'Spotify',
  'google-gmail': 'Gmail',
  'whatsapp-icon': 'WhatsApp',
  telegram: 'Telegram',
  signal: 'Signal',
  'slack-icon': 'Slack',
  'discord-icon': 'Discord',
  'microsoft-teams': 'Microsoft Teams',
  'openai-icon': 'ChatGPT|OpenAI',
  'claude-icon': 'Claude',
  'anthropic-icon': 'Anthropic',
  'perplexity-icon': 'Perplexity',
  'google-gemini-icon': 'Gemini',
  'mistral-ai-icon': 'Mistral',
  'deepseek-icon': 'DeepSeek',
  'meta-icon': 'Meta AI|Meta',
  'microsoft-icon': 'Microsoft',
  'cohere-icon': 'Cohere',
  apple: 'Apple',
  x: 'X',
};

const byName = (table: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([mark, names]) => names.split('|').map((name) => [name, mark] as const)));

export const MARKS_OF = { browser: byName(BROWSERS), os: byName(SYSTEMS), place: byName(PLACES) };

/** Every mark that some name has. */
export const MARK_NAMES = [...new Set([BROWSERS, SYSTEMS, PLACES].flatMap((table) => Object.keys(table)))];

/** Marks that are black: a dark page shows them in white. */
export const BLACK_MARKS: ReadonlySet<string> = new Set([
  'anthropic-icon',
  'apple',
  'github-icon',
  'gnome-icon',
  'medium-icon',
  'openai-icon',
  'x',
]);
