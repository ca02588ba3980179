// Reads the `data-` attributes with which pages declare events, such as `data-foot="signup" data-foot-plan="pro"`.
import { counted } from './pageviews.ts';
import type { Details } from './payload.ts';

/**
 * Returns the attributes whose names start with the prefix, with the address that was counted before: the page views that the script counts by
 * itself need it, and those by hand must not have it. It uses their names, since Partytown supports neither `attributes` nor
 * `dataset`.
 */
export const declaredProps = (
  element: Element,
  prefix: string,
): Details & { props: Record<string, string>; from: string } => {
  const props: Record<string, string> = {};
  element.getAttributeNames().map((name) => {
    const key = name.split(prefix)[1];
    if (key) props[key] = element.getAttribute(name) as string;
  });
  return { props, from: counted };
};
