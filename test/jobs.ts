import type { JobName } from '../src/core/platform/job-names.ts'
import { NO_WORKSPACE } from '../src/core/platform/scope.ts'

interface Sql {
  query(text: string, values: unknown[]): Promise<unknown>
}

/** Has the product look at once for a job that a test has made due, instead of within a second. */
export const wakeLane = (sql: Sql, name: JobName) =>
  sql.query(`select pg_notify('parley_jobs', json_build_object($1::text, 1)::text)`, [name])

/** Enqueues a job and wakes its lane. A sweep has no workspace. At most one waiting job has the same key. */
export async function addJob(
  sql: Sql,
  name: JobName,
  data: object,
  { workspaceId = NO_WORKSPACE, key }: { workspaceId?: string; key?: string } = {},
): Promise<void> {
  await sql.query('select graphile_worker.add_job($1, $2::json, job_key => $3)', [
    name,
    JSON.stringify({ workspaceId, data }),
    key,
  ])
  await wakeLane(sql, name)
}
