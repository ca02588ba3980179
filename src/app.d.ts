import type { LanguageFiles } from './language.ts';

declare global {
  /** Set by language.ts, before any module runs. */
  const languageFiles: LanguageFiles;
  /** The folder of flags and marks, by address; its name changes with their content. Set by vite.config.ts. */
  const MARKS_FOLDER: string;
  /** The version in package.json. Set by vite.config.ts. */
  const FOOTFALL_VERSION: string;

  namespace App {
    interface Error {
      message: string;
    }
  }
}
