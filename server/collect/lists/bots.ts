// Where isbot (5.2.3) is wrong, in both directions. Written by hand, 2026-11; each rule says what it is about.

type Rule = { pattern: RegExp; reason: string };

/** Machines that isbot takes for people. */
export const machineRules: Rule[] = [];

/** People whom isbot takes for machines. */
export const personRules: Rule[] = [];
