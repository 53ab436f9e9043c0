/** The reason of a pause that no person made: the web app has words for it. */
export const RESTORED = 'restored_from_backup'

/**
 * Pauses publishing everywhere, as the owner of the database: the rows of a backup do not know what went out after it was
 * made, so a post that is due may be live already. A person resumes each workspace.
 */
export const pauseAll = `update workspace set publishing_paused_at = app_now(), publishing_paused_reason = '${RESTORED}',
  version = version + 1, updated_at = app_now() where publishing_paused_at is null and deleted_at is null`
