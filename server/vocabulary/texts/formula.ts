// Matches text that a spreadsheet would read as a formula: an apostrophe in front keeps it text. Some spreadsheets also convert full-width
// characters to ASCII.

export const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
