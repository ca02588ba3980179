// What a spreadsheet takes for the start of a formula: an apostrophe in front keeps it text. Some fold the full-width forms to ASCII.

export const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
