/** The reason of a pause that no person made. The web app has a text for it. */
export const RESTORED = 'restored_from_backup'

/**
 * Pauses publishing and the bot everywhere, as the owner of the database. The rows of a backup do not know what was
 * published and answered after it was made, so a due post may be live already. A person resumes each workspace.
 */
export const pauseAll = `update workspace set publishing_paused_at = coalesce(publishing_paused_at, app_now()),
  publishing_paused_reason = case when publishing_paused_at is null then '${RESTORED}' else publishing_paused_reason end,
  bot_paused_at = coalesce(bot_paused_at, app_now()),
  bot_paused_reason = case when bot_paused_at is null then '${RESTORED}' else bot_paused_reason end,
  version = version + 1, updated_at = app_now()
  where (publishing_paused_at is null or bot_paused_at is null) and deleted_at is null`
