// Writes text into markup.

/** For text and attributes, of HTML and XML. */
export const escapeXml = (words: string): string => words.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
