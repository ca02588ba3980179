// Makes each script of a build, but foot.js, as small as it can be, and leaves it no global name.
import { minify } from 'terser';
import type { Plugin } from 'vite';

export const terse: Plugin = {
  name: 'terse',
  generateBundle: async (_options, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const compress = { passes: 8, toplevel: true, unsafe_arrows: true, keep_fargs: false, pure_getters: true };
      // the fields of the library's own classes begin with `_`
      const mangle = { toplevel: true, properties: { regex: /^_[a-z]/ } };
      // pages and proxies may say another encoding
      const format = { ascii_only: true };
      // neighbours become one declaration
      const source = chunk.code.replaceAll(/\bconst(?=[ [{])/g, 'let');
      const { code = '' } = await minify(source, { ecma: 2021, toplevel: true, compress, mangle, format });
      // a block scopes its names, as a function would
      chunk.code = `{${code.replaceAll(/var (?=\w+=class)/g, 'let ')}}`;
    }
  },
};
