// A contact as owners write it: lines of text. A line that is an e-mail address, or the address of a page with https, becomes a link.

type ContactLine = { text: string; href?: string };

export const contactLines = (contact: string): ContactLine[] =>
  contact.split(/\r?\n/).map((text) => {
    const href = addressIn(text);
    return { text, ...(href !== undefined && { href }) };
  });

function addressIn(line: string): string | undefined {
  if (/^[^\s@<>"]+@[^\s@<>".]+(?:\.[^\s@<>".]+)+$/.test(line)) return `mailto:${encodeURI(line)}`;
  return /^https:\/\/\S+$/.test(line) && URL.canParse(line) ? line : undefined;
}
