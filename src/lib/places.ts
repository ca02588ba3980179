// Names of countries, regions and languages from the browser's own tables, so that none are shipped.

function namesOf(type: 'region' | 'language'): (code: string) => string {
  const names = new Intl.DisplayNames('en', { type, languageDisplay: 'standard' });
  return (code) => {
    try {
      return names.of(code) ?? code;
    } catch {
      return code; // what visitors send need not be a code at all
    }
  };
}

const country = namesOf('region');
export const languageName = namesOf('language');

export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? country(code) : code;
}

/** `DE-BE` → `BE, Germany`: browsers know no names of subdivisions. */
export function regionName(code: string): string {
  const parts = /^([A-Z]{2})-([A-Z0-9]{1,3})$/.exec(code);
  return parts ? `${parts[2] ?? ''}, ${countryName(parts[1] ?? '')}` : code;
}
