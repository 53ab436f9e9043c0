import type { Query } from '../src/core/platform/db.ts'
import type { Scope } from '../src/core/platform/scope.ts'

/** A statement that answers with its plan, after it ran: how many rows each part has read. */
export const explained = (statement: Query<unknown>): Query<{ 'QUERY PLAN'?: unknown }> => ({
  compile: () => {
    const { sql: text, parameters } = statement.compile()
    return { sql: `explain (analyze, format json) ${text}`, parameters }
  },
})

/** Returns a scope that gives the plan of each statement that reads to `note`. */
export const withPlans = (own: Scope, note: (plan: unknown) => void): Scope => ({
  ...own,
  async read(...queries) {
    for (const [{ 'QUERY PLAN': plan } = {}] of await own.read(...queries.map(explained))) note(plan)
    return own.read(...queries)
  },
})
