// The options of the snippet: the `data-` attributes of its script element, as README.md lists them.
import { declaredProps } from './declared.ts';

export const snippet = (document.currentScript || document.querySelector('script[data-site]')) as HTMLScriptElement;
export const options: Record<string, string | undefined> = declaredProps(snippet, 'data-').props;
