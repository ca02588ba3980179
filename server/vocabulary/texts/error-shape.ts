// What is kept of an error's words: all that may differ between two visitors, or tell something about one, becomes a placeholder. The tracker does
// it before anything leaves the browser, and the server again, since anybody can send a message. This file imports no other file, and has no
// pattern that Safari before 16.4 does not know, such as one that looks behind.

/** Only the start of a message is read. */
const MAX_READ = 600;

/** Words of 25 letters, or of seven with a digit, are ids; other digits become `#`. `SecurityPolicyViolation` is as long as names in code are. */
export const shapeOfWords = (text: string): string =>
  text.replace(/[\p{L}\p{N}_$-]+/gu, (word) =>
    word.length > 24 || (word.length > 6 && /\p{N}/u.test(word)) ? '[id]' : word.replace(/\p{N}+/gu, '#'),
  );

/**
 * The message without quoted texts, addresses, numbers and ids: `Cannot read properties of undefined (reading [text])`. A text ends where its quote
 * is followed by no letter, or else with the message.
 */
export const shapeOfMessage = (message: string): string =>
  shapeOfWords(
    message
      .slice(0, MAX_READ)
      // an apostrophe within a word is no quote
      .replace(/(^|[^\p{L}\p{N}])(["'`])(?:\\[^]|[^\\])*?(?:\2(?![\p{L}\p{N}])|$)/gu, '$1[text]')
      // “…”, „…“ and «…», and ‘…’ with apostrophes in it; escaped, since the script may be read in another encoding
      .replace(
        // eslint-disable-next-line regexp/no-super-linear-move -- a text without an end is taken whole, so no other begins within it
        /[\u201c-\u201f\xab\u300c][^]*?(?:[\u201c-\u201f\xbb\u300d]|$)|[\u2018\u201a][^]*?(?:[\u2018\u2019](?!\p{L})|$)/gu,
        '[text]',
      )
      .replace(/\S+/g, (word) => (/[@/\\%=&]|:.*:/.test(word) ? '[address]' : word)),
  );
