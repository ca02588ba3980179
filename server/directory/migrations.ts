// The migrations of the directory database, in order, each in its own file. A start runs all new ones in one transaction, so a killed
// start leaves nothing half done. Never edit a released migration: add another one.
import type { MigrationProvider } from 'kysely/migration';
import { start } from './migrations/001-start.ts';
import { imports } from './migrations/002-imports.ts';
import { ingestTokens } from './migrations/003-ingest-tokens.ts';
import { deletions } from './migrations/004-deletions.ts';
import { hashedSessions } from './migrations/005-hashed-sessions.ts';
import { accountKinds } from './migrations/006-account-kinds.ts';
import { packages } from './migrations/007-packages.ts';
import { links } from './migrations/008-links.ts';
import { releasedDomains } from './migrations/009-released-domains.ts';
import { proposedCurrency } from './migrations/010-proposed-currency.ts';
import { jobs } from './migrations/011-jobs.ts';
import { definitionsOrder } from './migrations/012-definitions-order.ts';
import { shareLinkHashes } from './migrations/013-share-link-hashes.ts';
import { timeZones } from './migrations/014-time-zones.ts';
import { segments } from './migrations/015-segments.ts';
import { favicons } from './migrations/016-favicons.ts';
import { linkCredit } from './migrations/017-link-credit.ts';
import { secondFactor } from './migrations/018-second-factor.ts';
import { accountLog } from './migrations/019-account-log.ts';
import { mails } from './migrations/020-mails.ts';
import { domainOwnership } from './migrations/021-domain-ownership.ts';
import { passkeys } from './migrations/022-passkeys.ts';
import { billing } from './migrations/023-billing.ts';
import { notes } from './migrations/024-notes.ts';
import { sessionAgents } from './migrations/025-session-agents.ts';
import { requiredFactor } from './migrations/026-required-factor.ts';
import { people } from './migrations/027-people.ts';
import { webhooks } from './migrations/028-webhooks.ts';
import { emailChanges } from './migrations/029-email-changes.ts';
import { identities } from './migrations/030-identities.ts';
import { accountDeletions } from './migrations/031-account-deletions.ts';
import { transfers } from './migrations/032-transfers.ts';
import { reports } from './migrations/033-reports.ts';
import { signUps } from './migrations/034-sign-ups.ts';
import { alerts } from './migrations/035-alerts.ts';
import { mailKeys } from './migrations/036-mail-keys.ts';
import { reportChoices } from './migrations/037-report-choices.ts';
import { searchConnections } from './migrations/038-search-connections.ts';
import { mentions } from './migrations/039-mentions.ts';
import { googleAccounts } from './migrations/040-google-accounts.ts';
import { mentionPauses } from './migrations/041-mention-pauses.ts';
import { siteGroups } from './migrations/042-site-groups.ts';
import { searchWithdrawals } from './migrations/043-search-withdrawals.ts';
import { purges } from './migrations/044-purges.ts';
import { linkEmbedding } from './migrations/045-link-embedding.ts';
import { importRows } from './migrations/046-import-rows.ts';
import { exports } from './migrations/047-exports.ts';
import type { Directory } from './open.ts';

export function migrationsFor(form: Directory['form']): MigrationProvider {
  const steps = {
    '001_start': start(form),
    '002_imports': imports(form),
    '003_ingest_tokens': ingestTokens,
    '004_deletions': deletions,
    '005_hashed_sessions': hashedSessions,
    '006_account_kinds': accountKinds,
    '007_packages': packages,
    '008_links': links,
    '009_released_domains': releasedDomains,
    '010_proposed_currency': proposedCurrency,
    '011_jobs': jobs,
    '012_definitions_order': definitionsOrder,
    '013_share_link_hashes': shareLinkHashes,
    '014_time_zones': timeZones(form),
    '015_segments': segments,
    '016_favicons': favicons,
    '017_link_credit': linkCredit,
    '018_second_factor': secondFactor,
    '019_account_log': accountLog,
    '020_mails': mails,
    '021_domain_ownership': domainOwnership,
    '022_passkeys': passkeys,
    '023_billing': billing,
    '024_notes': notes,
    '025_session_agents': sessionAgents,
    '026_required_factor': requiredFactor,
    '027_people': people,
    '028_webhooks': webhooks,
    '029_email_changes': emailChanges,
    '030_identities': identities,
    '031_account_deletions': accountDeletions,
    '032_transfers': transfers,
    '033_reports': reports,
    '034_sign_ups': signUps,
    '035_alerts': alerts,
    '036_mail_keys': mailKeys(form),
    '037_report_choices': reportChoices,
    '038_search_connections': searchConnections,
    '039_mentions': mentions,
    '040_google_accounts': googleAccounts,
    '041_mention_pauses': mentionPauses,
    '042_site_groups': siteGroups,
    '043_search_withdrawals': searchWithdrawals,
    '044_purges': purges,
    '045_link_embedding': linkEmbedding,
    '046_import_rows': importRows,
    '047_exports': exports(form),
  };
  return { getMigrations: () => Promise.resolve(steps) };
}
