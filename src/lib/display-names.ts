// Names of countries and languages, from the browser's own tables. Names of regions are loaded when one is shown.
import { createSubscriber } from 'svelte/reactivity';

function namesOf(type: 'region' | 'language'): (code: string) => string {
  const names = new Intl.DisplayNames('en', { type, languageDisplay: 'standard' });
  return (code) => {
    try {
      return names.of(code) ?? code;
    } catch {
      return code; // visitors can send anything, not only codes
    }
  };
}

const country = namesOf('region');
export const languageName = namesOf('language');

export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? country(code) : code;
}

let subdivisions: Map<string, string> | undefined;

/** Components that show a region render again once the names have loaded. */
const showsRegions = createSubscriber((update) => {
  if (subdivisions) return;
  void loadSubdivisions().then(update, () => undefined); // without names, the codes stay
});

async function loadSubdivisions(): Promise<void> {
  const { iso31662 } = await import('iso-3166');
  subdivisions = new Map(iso31662.map(({ code, name }) => [code, name]));
}

/** `DE-BE` → `Berlin, Germany`; `BE, Germany` until the names have loaded. */
export function regionName(code: string): string {
  const parts = /^([A-Z]{2})-([A-Z0-9]{1,3})$/.exec(code);
  if (!parts) return code;
  showsRegions();
  return `${subdivisions?.get(code) ?? parts[2] ?? ''}, ${countryName(parts[1] ?? '')}`;
}
