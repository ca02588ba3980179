// What a spreadsheet takes for the start of a formula: an apostrophe in front keeps it text. Some fold the full-width forms to ASCII.
// Imports nothing, so that the dashboard's bundle can hold it.

export const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
