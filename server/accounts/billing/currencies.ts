// Stripe's amounts are whole numbers of the smallest unit of a currency (https://docs.stripe.com/currencies). That is not always the unit of
// ISO 4217: Stripe counts the Icelandic króna and the Ugandan shilling in hundredths.
const WITHOUT_DECIMALS = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const WITH_THREE = new Set('BHD JOD KWD OMR TND'.split(' '));

export function toMajorUnits(amount: number, currency: string): number {
  const code = currency.toUpperCase();
  if (WITHOUT_DECIMALS.has(code)) return amount;
  return amount / (WITH_THREE.has(code) ? 1000 : 100);
}
