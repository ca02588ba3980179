// International domains as people write them: münchen.de for xn--mnchen-3ya.de. One that could be taken for another keeps its
// punycode, by the rules that browsers have for their address bars (Chromium's IDN policy, Unicode TS 39).
import { decode, encode } from 'punycode/punycode.es6.js';

/** A label's letters must be of one of these scripts. Latin is mixed in only where a language does so. */
const SCRIPTS = [
  /^[\p{Script=Latin}\p{Script=Inherited}]+$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Latin}ー]+$/u,
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Latin}]+$/u,
  /^[\p{Script=Han}\p{Script=Bopomofo}\p{Script=Latin}]+$/u,
  ...['Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam']
    .concat(['Tamil', 'Telugu', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Sinhala', 'Georgian', 'Armenian', 'Ethiopic'])
    .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Inherited}]+$`, 'u')),
];
/** Cyrillic and Greek letters that look Latin. A name made of only these would be read as Latin. */
const LOOK_LATIN = /^[асԁеһіјӏорԛѕԝхуъЬҽпгѵѡαικνρυωηοτ]+$/u;
const LETTERS = /^[\p{L}\p{M}\p{Nd}-]+$/u;
const IS_LATIN_END = /\.[a-z]+$/;

export function internationalName(domain: string): string {
  return domain
    .split('.')
    .map((label) => labelName(label, IS_LATIN_END.test(domain)))
    .join('.');
}

function labelName(label: string, isUnderLatin: boolean): string {
  if (!label.startsWith('xn--')) return label;
  try {
    const name = decode(label.slice('xn--'.length));
    return isHonest(name, isUnderLatin) && `xn--${encode(name)}` === label ? name : label;
  } catch {
    return label; // not punycode at all
  }
}

function isHonest(name: string, isUnderLatin: boolean): boolean {
  if (!/[^-a-z0-9]/.test(name) || !LETTERS.test(name) || name !== name.normalize('NFC') || name !== name.toLowerCase())
    return false;
  const letters = name.replace(/[\p{Nd}-]/gu, '');
  return SCRIPTS.some((script) => script.test(letters)) && !(isUnderLatin && LOOK_LATIN.test(letters));
}
