// The roles of people in an account. What each may do is decided in sites/access.ts and accounts/people.

export const ROLES = ['owner', 'admin', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];
