// What the snippet asks for: the `data-` attributes of its script element, under the names that README.md lists.
import { declaredProps } from './declared.ts';

export const snippet = (document.currentScript || document.querySelector('script[data-site]')) as HTMLScriptElement;
export const options: Record<string, string | undefined> = declaredProps(snippet, 'data-').props;
