// Names of regions.
import { countryName } from '../../../server/vocabulary/questions/value-names.ts';
import { withComma } from './format.ts';
import { onDemand } from './on-demand.ts';

const subdivisions = onDemand(async () => {
  const { iso31662 } = await import('iso-3166');
  return new Map(iso31662.map(({ code, name }) => [code, name]));
});

const REGION = /^([A-Z]{2})-([A-Z0-9]{1,3})$/;

/** `DE-BE` → `Berlin, Germany`; `BE, Germany` until the names have loaded. */
export function regionName(code: string): string {
  const country = REGION.exec(code)?.[1];
  return country ? withComma(shortRegionName(code), countryName(country)) : code;
}

/** `DE-BE` → `Berlin`, for a list of one country's regions. */
export function shortRegionName(code: string): string {
  const part = REGION.exec(code)?.[2];
  return part ? (subdivisions.get()?.get(code) ?? part) : code;
}
