// What is written into the page: `data-foot="signup" data-foot-plan="pro"`.
import type { Details } from './payload.ts';

/** The `data-foot-KEY` attributes of an element. */
export const declaredProps = (element: Element): Details => {
  const props: Record<string, string> = {};
  for (const attribute of element.attributes) {
    const key = attribute.name.split('data-foot-')[1];
    if (key) props[key] = attribute.value;
  }
  return { props };
};
