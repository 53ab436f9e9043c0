import { createHash } from 'node:crypto'

// The initial set of migrations, 0001_core.sql to 0007_admin.sql, replaced 54 older files. This module knows these, for
// databases and backups that were made with them (docs/adr/0024-one-initial-set.md).

const LAST_INITIAL = '0007_admin.sql'

const REPLACED = new Set(
  `0001_platform 0002_identity 0003_workspaces 0004_accounts_media 0005_posts 0006_three_networks 0007_media_video
  0008_password_reset 0009_unconfirmed 0010_doubt 0011_watched_by_post 0012_access 0014_sign_in 0016_old_notices 0017_admin
  0018_erasure 0019_state_of_a_session 0020_codes_of_a_person 0021_definers 0030_approvals 0031_ai_generated
  0032_first_comments 0033_trouble 0034_resumable_uploads 0035_crops 0036_posting_queue 0037_same_text 0038_pause
  0039_usage_limit 0040_link_tags 0041_writing 0042_settle 0043_ai 0045_ai_turns 0046_operator_keys 0047_ai_turns
  0048_ai_author 0049_own_jobs 0050_time_of_an_idea 0051_turns_of_jobs 0052_proof_of_absence 0053_claims_of_processes
  0054_standing 0055_posts_happen_when_published 0056_undo 0057_review_links_end 0058_delays_are_told
  0059_undo_restores_what_was_settled 0060_review_links_end_with_the_account 0061_turns_of_owners
  0062_lanes_hear_of_their_own_jobs 0070_rejection_codes 0071_statistics 0072_deliveries`
    .split(/\s+/)
    .map((name) => `${name}.sql`),
)
/** A hash over the names and checksums of all replaced files. */
const WHOLE = '38fda2c7d62448ae88bf42c045098f3d7973dd758b51065542dd1024992ee16a'

/** Gives constraints the names that the initial set gives them. Nothing else differs. */
export const RENAMES = `
alter table ai_generation rename constraint ai_generation_ended_check to ai_generation_check;
alter table credential_undo rename constraint credential_undo_removed to credential_undo_check1;
alter table delivery rename constraint publication_check to delivery_check2;
alter table delivery rename constraint publication_check1 to delivery_check3;
alter table delivery rename constraint publication_check2 to delivery_check4;
do $$
declare old text;
begin
  for old in select conname from pg_constraint where conrelid = 'delivery'::regclass and conname like 'publication\\_%' loop
    execute format('alter table delivery rename constraint %I to %I', old, replace(old, 'publication', 'delivery'));
  end loop;
end $$`

interface Applied {
  name: string
  checksum: string
}

/**
 * The applied files of a database or a backup in terms of the present files: the replaced ones count as the initial
 * set. Returns undefined if only a part of the replaced files was applied. A directory that still has these files is
 * left as it is.
 */
export function inPresentFiles<A extends Applied, F extends Applied>(applied: A[], files: F[]): (A | F)[] | undefined {
  const present = new Set(files.map(({ name }) => name))
  const replaced = applied.filter(({ name }) => REPLACED.has(name) && !present.has(name))
  if (replaced.length === 0) return applied
  if (hashOf(replaced) !== WHOLE) return undefined
  const others = applied.filter((each) => !replaced.includes(each))
  const known = new Set(others.map(({ name }) => name))
  const initial = files.filter(({ name }) => name <= LAST_INITIAL && !known.has(name))
  return [...initial, ...others]
}

function hashOf(files: Applied[]): string {
  const lines = files.map(({ name, checksum }) => `${name} ${checksum}`).toSorted()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
