// The currency of a place, from CLDR: most codes of currencies begin with the code of their country, and the others are listed.

const OF_ONE_COUNTRY =
  `AED AFN ALL AMD AOA ARS AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CLP CNY COP CRC
  CUP CVE CZK DJF DOP DZD EGP ERN ETB FJD GEL GHS GMD GNF GTQ GYD HKD HNL HTG HUF IDR INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW
  KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NPR OMR PAB PEN PGK PHP PKR
  PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX UYU UZS
  VES VND VUV WST YER ZAR ZMW ZWG`.split(/\s+/);

const OF_SEVERAL = {
  AUD: 'AU CC CX HM KI NF NR TV',
  CHF: 'CH LI',
  DKK: 'DK FO GL',
  EUR: 'AD AT AX BE BG BL CP CY DE EA EE ES FI FR GF GP GR HR IC IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT',
  FKP: 'FK',
  GBP: 'CQ GB GG GS IM JE TA',
  GIP: 'GI',
  ILS: 'IL PS',
  MAD: 'EH MA',
  NOK: 'BV NO SJ',
  NZD: 'CK NU NZ PN TK',
  SHP: 'AC SH',
  USD: 'AS BQ EC DG FM GU IO MH MP PR PW SV TC TL UM US VG VI',
  XAF: 'CF CG CM GA GQ TD',
  XCD: 'AG AI DM GD KN LC MS VC',
  XCG: 'CW SX',
  XOF: 'BF BJ CI GW ML NE SN TG',
  XPF: 'NC PF WF',
};

const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ...OF_ONE_COUNTRY.map((code) => [code.slice(0, 2), code] as const),
  ...Object.entries(OF_SEVERAL).flatMap(([code, regions]) =>
    regions.split(' ').map((region) => [region, code] as const),
  ),
]);

/** `EUR` for de-AT. A language without a country is that of the country where most people speak it. */
export function currencyOfLocale(locale: string): string | undefined {
  try {
    return CURRENCIES.get(new Intl.Locale(locale).maximize().region ?? '');
  } catch {
    return undefined; // not a locale, such as the `C` of some systems
  }
}
