declare global {
  /** The folder of flags and marks, by address; its name changes with their content. Set by vite.config.ts. */
  const MARKS_FOLDER: string;

  namespace App {
    interface Error {
      message: string;
    }
  }
}

export {};
