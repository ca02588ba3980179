// What is written into the page: `data-foot="signup" data-foot-plan="pro"`.
import type { Details } from './payload.ts';

/** Attributes whose names begin with the prefix. By their names, since Partytown lists neither `attributes` nor `dataset`. */
export const declaredProps = (element: Element, prefix: string): Details & { props: Record<string, string> } => {
  const props: Record<string, string> = {};
  for (const name of element.getAttributeNames()) {
    const key = name.split(prefix)[1];
    if (key) props[key] = element.getAttribute(name) as string;
  }
  return { props };
};
