// What may be known of a measured page view besides its times: closed sets, so that nothing of a page's content is ever stored.

/** Longer than any page that somebody waits for. */
export const MAX_MEASURED_MS = 600_000;
/** A page whose parts move by the whole window a hundred times. */
export const MAX_SHIFT = 100;

export const NAVIGATIONS: ReadonlySet<string> = new Set([
  'navigate',
  'reload',
  'back-forward',
  'back-forward-cache',
  'prerender',
  'restore',
]);
/** `effectiveType` of the Network Information API. */
export const CONNECTIONS: ReadonlySet<string> = new Set(['slow-2g', '2g', '3g', '4g']);

/** Elements that can be large, or that people use. */
const TAGS = new Set(
  `a article aside audio b body button canvas code dd details dialog div dl dt em embed fieldset figcaption figure footer form g h1 h2 h3 h4 h5 h6 header
  hgroup html i iframe image img input label legend li main menu nav object ol option p path picture pre progress rect section select small span strong
  summary svg table tbody td text textarea tfoot th thead tr ul use video`.split(/\s+/),
);
/** Roles of WAI-ARIA that people use. */
const ROLES = new Set(
  `alert alertdialog article banner button cell checkbox combobox complementary contentinfo dialog document feed figure form grid gridcell group heading
  img link list listbox listitem main menu menubar menuitem menuitemcheckbox menuitemradio navigation none option presentation progressbar radio
  radiogroup region row search searchbox separator slider spinbutton status switch tab table tablist tabpanel textbox toolbar tooltip tree treeitem`.split(
    /\s+/,
  ),
);

/** Reads `div button` as `div[button]`. An element of the page's own is `custom`, and whatever else `other`; '' for none. */
export function elementKind(sent: unknown): string {
  if (typeof sent !== 'string' || sent === '') return '';
  const [tag = '', role = ''] = sent.slice(0, 100).split(' ');
  const other = tag.includes('-') ? 'custom' : 'other';
  return (TAGS.has(tag) ? tag : other) + (ROLES.has(role) ? `[${role}]` : '');
}
