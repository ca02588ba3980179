// The scale of the map's colours. It is logarithmic, so one large country does not hide the rest.

/** The faintest colour of a place that has visitors, as a share of the full one. */
const FAINTEST = 0.16;

/** How strong the colour of a value is: 0 for none, 1 for the largest. */
export function strengthOf(value: number, largest: number): number {
  if (value <= 0) return 0;
  return FAINTEST + (1 - FAINTEST) * positionOf(value, largest);
}

/** Where a value lies on the legend, from 0 to 1. */
function positionOf(value: number, largest: number): number {
  const whole = Math.log(Math.max(1, largest));
  return whole === 0 ? 1 : Math.min(1, Math.max(0, Math.log(Math.max(1, value)) / whole));
}

/** The powers of ten below the largest value, and the largest value itself. */
export function ticksOf(largest: number): { value: number; position: number }[] {
  const top = Math.max(1, Math.round(largest));
  const powers: number[] = [];
  // A power close to the end would stand too close to the last label.
  for (let power = 1; power < top && positionOf(power, top) < 0.8; power *= 10) powers.push(power);
  return [...powers, top].map((value) => ({ value, position: positionOf(value, top) }));
}
