// The actions in the log of an account, with their words: a closed set, for the server and the dashboard.
export const ACCOUNT_ACTIONS = {
  sign_in: 'Logged in',
  session_ended: 'Logged out another browser',
  password_changed: 'Changed their password',
  password_reset: 'Set a new password by a link',
  factor_added: 'Added a second factor',
  factor_removed: 'Removed a second factor',
  factor_required: 'Required a second factor of everybody',
  factor_optional: 'No longer required a second factor',
  recovery_codes_made: 'Created recovery codes',
  recovery_code_used: 'Logged in with a recovery code',
  site_made: 'Added a site',
  site_deleted: 'Deleted a site',
  data_exported: 'Exported a site’s numbers',
  key_made: 'Created an API key',
  key_revoked: 'Revoked an API key',
  ingest_token_made: 'Created an ingest token',
  ingest_token_revoked: 'Revoked an ingest token',
  share_link_made: 'Created a share link',
  share_link_revoked: 'Revoked a share link',
  plan_changed: 'Changed the plan',
} as const;
export type AccountAction = keyof typeof ACCOUNT_ACTIONS;
