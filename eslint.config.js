// Lint rules: type-aware for TypeScript, Svelte's own for components. Prettier alone handles formatting.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import regexp from 'eslint-plugin-regexp';
import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['build/', 'data/', '.svelte-kit/', 'node_modules/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  prettier,
  ...svelte.configs.prettier,
  {
    plugins: { regexp },
    rules: {
      // Input is hostile: the time that a pattern takes must not grow faster than its text.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'no-undef': 'off', // TypeScript knows the globals
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-dynamic-delete': 'off',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "VariableDeclarator[id.name='it'], ObjectPattern > Property[value.name='it'], :function > Identifier.params[name='it']",
          message: '`it` says nothing: name the value, such as `server` for a test app.',
        },
        {
          selector:
            'ObjectExpression > SpreadElement > ObjectExpression, :matches(ArrayExpression, CallExpression, NewExpression) > SpreadElement > ArrayExpression',
          message:
            'A literal that is spread into another one says nothing more than its entries do: write them plainly.',
        },
      ],
      'no-warning-comments': ['error', { terms: ['prettier-ignore', 'todo', 'fixme', 'xxx'], location: 'anywhere' }],
      // Vitest needs the empty pattern: it shows that a fixture uses no other fixture.
      'no-empty-pattern': ['error', { allowObjectPatternsAsParameters: true }],
      'svelte/no-navigation-without-resolve': 'off', // the app is served from the root
    },
  },
  {
    files: [
      'server/**/*.ts',
      'tracker/**/*.ts',
      'languages/**/*.ts',
      'tests/**/*.ts',
      'bench/**/*.ts',
      'docs/site/*.ts',
      'notices.ts',
      'compress.ts',
    ],
    languageOptions: { parserOptions: { project: './tsconfig.node.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['tests/**/*.ts', '**/*.test.ts'],
    rules: { 'no-nested-ternary': 'error' }, // an assertion is read at one go
  },
  {
    files: ['tests/**/*.ts', 'bench/**/*.ts', '**/*.test.ts'],
    ignores: ['tests/setup/folder.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:fs', 'node:fs/promises'],
              importNamePattern: '^mkdtemp',
              message: 'Use tempFolder of tests/setup/folder.ts: it is deleted when its block ends.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
);
