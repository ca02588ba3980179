/** True for a site that shows its small numbers to admins alone. */
export const limitsMembers = (settings: Readonly<Record<string, unknown>>): boolean =>
  settings['limits_members'] === true;
