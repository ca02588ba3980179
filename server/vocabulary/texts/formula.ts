// Matches text that a spreadsheet would read as a formula: an apostrophe in front keeps it text. Some spreadsheets also convert full-width
// characters to ASCII.

/** With the apostrophes that stand before it already: without another one, reading the text back would take one of them away. */
export const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
