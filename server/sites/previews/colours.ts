// The colours of what the server draws and writes itself: those of src/tokens.css, for readers and programs that do not know oklch().
export const COLOURS = {
  light: {
    page: '#f6f7f5',
    back: '#ffffff',
    edge: '#e7eae5',
    ink: '#131c17',
    soft: '#48554d',
    line: '#0e7a54',
    wash: '#e6f3ec',
    /** From that of lines to the first series. */
    steps: ['#e7eae5', '#cfe0d6', '#b0d2c1', '#8bbfa7', '#64ad8e', '#359b75'],
  },
  dark: {
    page: '#0c110f',
    back: '#141a17',
    edge: '#222b27',
    ink: '#edf3ef',
    soft: '#b0bcb5',
    line: '#46cb96',
    wash: '#14302a',
    steps: ['#222b27', '#2c4238', '#3a5e4e', '#487a64', '#559a7c', '#62b995'],
  },
};

/** The same as custom properties of CSS. */
export function customColours(theme: keyof typeof COLOURS): string {
  const { steps, ...named } = COLOURS[theme];
  const scale = steps.map((colour, step) => [`n${step}`, colour]);
  return [...Object.entries(named), ...scale].map(([name, colour]) => `--${name}:${colour}`).join(';');
}
