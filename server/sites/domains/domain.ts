// Turns what people enter as their site into a domain: lower case, IDN as punycode, without scheme, port and path.
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { Refusal } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** 253 characters, each written as three. */
const MAX_ENCODED = 759;
const TOP_LEVEL = /^(xn--[a-z0-9-]+|[a-z]{2,63})$/;

/**
 * Takes the host of a pasted page address, without its port. Refuses a path without a scheme: it may mean a part of a site, which cannot be
 * a site of its own. Allows `localhost` and names under it, for testing.
 */
export function normaliseDomain(input: string): string {
  return checkDomain(readHostname(input), input.trim());
}

/** The same for a site's other hosts, which may also be IP addresses: pages in a private network have no other name. */
export function normaliseHost(input: string): string {
  const hostname = readHostname(input);
  return isIP(hostname.replace(/^\[(.+)\]$/, '$1')) === 0 ? checkDomain(hostname, input.trim()) : hostname;
}

/**
 * A domain as sites have it, from a part of an address: of any case, in Unicode or punycode, percent-encoded or not, with or without the dot
 * of the root. Undefined for any other text. Nothing is looked up.
 */
export function readDomain(text: string): string | undefined {
  if (text.length > MAX_ENCODED || !/\.|^localhost$/i.test(text) || /[\s\\/?#@:\p{Cc}]/u.test(text)) return undefined;
  return domainToASCII(text).replace(/\.$/, '') || undefined;
}

/**
 * The same for websites that may show a page in a frame, as `frame-ancestors` takes them: with a port that is not the usual one, or all names
 * under one, as `*.example.com`.
 */
export function normaliseFrameHost(input: string): string {
  const text = input.trim();
  const isWild = text.startsWith('*.');
  const { hostname, port } = readAddress(isWild ? text.slice(2) : text, { evenPath: true });
  if (isIP(hostname) === 0) checkNames(hostname, text);
  return `${isWild ? '*.' : ''}${hostname}${port === '' ? '' : `:${port}`}`;
}

const readHostname = (input: string): string => readAddress(input).hostname;

/** `evenPath`: a path without a scheme is left out, too. */
function readAddress(input: string, { evenPath = false } = {}): { hostname: string; port: string } {
  const text = input.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (text.length > 2_048 || /[\s\\%@\p{Cc}]/u.test(text) || (scheme && !/^https?$/.test(scheme)))
    throw malformed(text);
  const url = URL.parse(scheme ? text : `http://${text}`);
  if (!url) throw malformed(text);
  if (!scheme && !evenPath && (url.pathname !== '/' || url.search || url.hash))
    throw new Refusal(
      'bad_request',
      t('A site is a whole domain: enter {hostname}. Its pages are counted by their paths.', {
        hostname: show(url.hostname),
      }),
    );
  return { hostname: url.hostname.replace(/\.$/, ''), port: url.port };
}

function checkDomain(domain: string, text: string): string {
  const { isLocal } = checkNames(domain, text);
  // Includes the suffixes of companies that give subdomains to their customers: github.io, vercel.app.
  if (!isLocal && getPublicSuffix(domain, { allowPrivateDomains: true }) === domain)
    throw new Refusal(
      'bad_request',
      t('Anybody can have a name under {domain}: enter your own, such as example.{domain2}.', {
        domain: show(domain),
        domain2: show(domain),
      }),
    );
  return domain;
}

function checkNames(domain: string, text: string): { isLocal: boolean } {
  const labels = domain.split('.');
  const isLocal = labels.at(-1) === 'localhost';
  const isPublic = labels.length > 1 && TOP_LEVEL.test(labels.at(-1) ?? '');
  if (domain.length > 253 || !labels.every((label) => LABEL.test(label)) || !(isLocal || isPublic))
    throw malformed(text);
  return { isLocal };
}

function malformed(text: string): Refusal {
  return new Refusal(
    'bad_request',
    t('"{text}" is not a domain: enter one such as example.com or shop.example.com.', { text: show(text) }),
  );
}

function show(text: string): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
}
