// The setting of a site that shows its small numbers to admins alone.
const SETTING = 'limits_members';

type Settings = Readonly<Record<string, unknown>>;

export const limitsMembers = (settings: Settings): boolean => settings[SETTING] === true;

export const withMemberLimits = (settings: Settings, isLimited: boolean): Record<string, unknown> => ({
  ...settings,
  [SETTING]: isLimited,
});
