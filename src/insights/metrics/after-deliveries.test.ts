import { expect, test } from 'vitest'
import { useFigures } from '../../../test/figures.ts'
import { addFault, eventually, untilStatus } from '../../../test/world.ts'
import type { Post } from '../../publishing/posts/api.ts'

// The networks run at real speed, so that a slow response takes much less time than a reading waits at most.
const { sql, sandbox, person, open } = useFigures(7400, { TIME_SCALE: '1' })

test('a reading begins only after the post that is being sent', async () => {
  const [sent, read] = [await open('NET_PAGE'), await open('NET_PAGE')]
  const match = { network: 'NET_PAGE', method: 'POST', path: '/feed' }
  await addFault(sandbox.url, { match, do: { delayMs: 2_000 }, times: 1 })
  const { id } = await person().must<Post>('POST', '/posts', {
    caption: 'A post that takes time',
    targets: [sent.account.id],
    action: 'publish',
  })
  await eventually(async () => {
    const { rowCount } = await sql.query(`select from publication where post_id = $1 and state = 'SUBMITTING'`, [id])
    return rowCount === 1
  })
  await sql.query(`select graphile_worker.add_job('analytics-sync', $1::json, job_key => $2)`, [
    JSON.stringify({ workspaceId: person().workspaceId, data: { accountId: read.account.id } }),
    `sync:${read.account.id}`,
  ])
  const foundAt = await eventually(async () => {
    const { rows } = await sql.query<{ foundAt: Date | null }>(
      'select found_at as "foundAt" from account_sync where account_id = $1',
      [read.account.id],
    )
    return rows[0]?.foundAt ?? undefined
  })
  const post = await untilStatus(person(), id, ['PUBLISHED'])
  expect(foundAt.getTime()).toBeGreaterThanOrEqual(Date.parse(post.publications[0]!.publishedAt!))
})
