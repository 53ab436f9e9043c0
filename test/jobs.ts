import type { JobName } from '../src/core/platform/job-names.ts'

/** Has the product look at once for a job that a test has added or made due, instead of within a second. */
export const wakeLane = (sql: { query(text: string, values: unknown[]): Promise<unknown> }, name: JobName) =>
  sql.query(`select pg_notify('parley_jobs', json_build_object($1::text, 1)::text)`, [name])
