// The package has no types of its own, and those of DefinitelyTyped describe another file of it.
declare module 'punycode/punycode.es6.js' {
  export const decode: (text: string) => string;
  export const encode: (text: string) => string;
}
