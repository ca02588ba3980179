// Names of regions, which are loaded when one is shown.
import { createSubscriber } from 'svelte/reactivity';
import { countryName } from '../../server/vocabulary/questions/value-names.ts';

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

const REGION = /^([A-Z]{2})-([A-Z0-9]{1,3})$/;

/** `DE-BE` → `Berlin, Germany`; `BE, Germany` until the names have loaded. */
export function regionName(code: string): string {
  const country = REGION.exec(code)?.[1];
  return country ? `${shortRegionName(code)}, ${countryName(country)}` : code;
}

/** `DE-BE` → `Berlin`, for a list of one country's regions. */
export function shortRegionName(code: string): string {
  const part = REGION.exec(code)?.[2];
  if (!part) return code;
  showsRegions();
  return subdivisions?.get(code) ?? part;
}
