// Words for countries and languages. Their names are those of the platform (CLDR).
import { nameFormat } from '../habits/formatters.ts';
import type { Entry } from './meanings.ts';

/** Other names of countries, and what its people are called. */
const COUNTRIES: Record<string, string> = {
  US: 'us|usa|u.s|u.s.a|america|the states|united states of america|american|americans',
  GB: 'uk|u.k|great britain|britain|england|british|brits',
  DE: 'german|germans|deutschland',
  FR: 'french|frenchmen',
  AT: 'austrian|austrians',
  CH: 'swiss',
  NL: 'dutch|holland|the netherlands',
  BE: 'belgian|belgians',
  IT: 'italian|italians',
  ES: 'spanish|spaniards',
  PT: 'portuguese',
  PL: 'polish|poles',
  SE: 'swedish|swedes',
  NO: 'norwegian|norwegians',
  DK: 'danish|danes',
  FI: 'finnish|finns',
  IE: 'irish',
  CZ: 'czech|czechs|czech republic',
  HU: 'hungarian|hungarians',
  RO: 'romanian|romanians',
  GR: 'greek|greeks',
  UA: 'ukrainian|ukrainians',
  RU: 'russian|russians',
  TR: 'turkey|turkish|turks',
  CN: 'chinese',
  JP: 'japanese',
  KR: 'korea|korean|koreans',
  IN: 'indian|indians',
  AU: 'australian|australians|aussies',
  NZ: 'new zealanders|kiwis',
  CA: 'canadian|canadians',
  MX: 'mexican|mexicans',
  BR: 'brazilian|brazilians',
  AR: 'argentinian|argentinians',
  ZA: 'south african|south africans',
  NG: 'nigerian|nigerians',
  EG: 'egyptian|egyptians',
  IL: 'israeli|israelis',
  AE: 'uae|emirates',
  SA: 'saudi arabian|saudis',
  SG: 'singaporean|singaporeans',
  HK: 'hong kong',
  MO: 'macau',
  TW: 'taiwanese',
  TH: 'thai',
  VN: 'vietnamese',
  ID: 'indonesian|indonesians',
  PH: 'filipino|filipinos',
  MM: 'burma',
  CI: 'ivory coast',
  BA: 'bosnia',
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Codes of no country: unions, tests, and states that are gone. */
const NONE = new Set([
  'EU',
  'EZ',
  'UN',
  'XA',
  'XB',
  'ZZ',
  'QO',
  'DD',
  'SU',
  'YU',
  'CS',
  'AN',
  'YD',
  'VD',
  'FX',
  'BU',
  'ZR',
  'TP',
  'NT',
  'UK',
  'RH',
  'HV',
  'DY',
  'CT',
  'FQ',
  'JT',
  'MI',
  'NH',
  'NQ',
  'PC',
  'PU',
  'PZ',
  'WK',
  'QU',
]);

function namesOf(type: 'region' | 'language', codes: Iterable<string>): [code: string, name: string][] {
  const names = nameFormat(type);
  return [...codes].flatMap((code) => {
    const name = names(code);
    return name === undefined ? [] : [[code, name] as [string, string]];
  });
}

const pairs = [...ALPHABET].flatMap((one) => [...ALPHABET].map((other) => one + other));

export const countryEntries: readonly Entry[] = namesOf(
  'region',
  pairs.filter((code) => !NONE.has(code)),
).flatMap(([code, name]) => {
  const meaning = { kind: 'value', all: [{ dimension: 'country', value: code }] } as const;
  const others = (COUNTRIES[code] ?? '').split('|').filter(Boolean);
  const bare = name.replace(/ \(.*\)$/, '').replace(' & ', ' and ');
  return [...new Set([name, bare].filter((one) => !one.includes('(')))]
    .map((phrase): Entry => ({ phrase, label: name, meaning, sureness: 'own' }))
    .concat(others.map((phrase): Entry => ({ phrase, label: name, meaning, sureness: 'usual' })));
});

/** Languages that nobody reads the web in would only stand in the way of other words. */
const LANGUAGES =
  'af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ku ky la lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no pa pl ps pt ro ru sd si sk sl so sq sr sv sw ta te th tl tr uk ur uz vi xh yi zh zu'.split(
    ' ',
  );

/** A language is stored with the region of its reader, as in pt-BR: `contains` would also find it in others. */
export const languageEntries: readonly Entry[] = namesOf('language', LANGUAGES).flatMap(([code, name]) => {
  const meaning = { kind: 'value', all: [{ dimension: 'language', value: code }] } as const;
  return ['', ' speakers', ' speaking', ' language', ' browsers'].map((after): Entry => ({
    phrase: name + after,
    label: name,
    meaning,
    sureness: after === '' ? 'usual' : 'own',
  }));
});
