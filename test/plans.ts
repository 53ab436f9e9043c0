interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: { plan: string }[] }>
}

/** Runs `work` while the plan of a workspace has no features. */
export async function onPlanWithoutFeatures(sql: Sql, workspaceId: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql.query('select plan_id as plan from subscription where workspace_id = $1', [workspaceId])
  const give = (plan: string) =>
    sql.query('update subscription set plan_id = $2 where workspace_id = $1', [workspaceId, plan])
  await sql.query(`insert into plan (id, position) values ('empty', 99)`)
  try {
    await give('empty')
    await work()
  } finally {
    await give(rows[0]!.plan)
    await sql.query(`delete from plan where id = 'empty'`)
  }
}
