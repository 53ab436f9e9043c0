import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/database.ts'
import { tappedLine } from '../../../test/killable.ts'
import { startProduct } from '../../../test/product.ts'
import { connectPages, newPerson } from '../../../test/world.ts'
import type { Post } from './api.ts'

test('a new post takes three trips: the gate, all reads, and the rows with the answer and the commit', async () => {
  const database = await freshDatabase()
  let trips = 0
  let workspaceId = ''
  const line = await tappedLine(database.url, (packet) => {
    // Hints to other processes are sent together and name the workspace too.
    if (workspaceId !== '' && packet.includes(workspaceId) && !packet.includes('pg_notify')) trips += 1
  })
  const product = await startProduct({ databaseUrl: line.url, env: { ROLE: 'api' } })
  try {
    const ann = await newPerson(product.url)
    const [page, ...others] = await connectPages(ann)
    for (const other of others) await ann.must('DELETE', `/social-accounts/${other.id}`)
    workspaceId = ann.workspaceId
    const tripsOf = async (body: object) => {
      trips = 0
      await ann.must<Post>('POST', '/posts', body)
      return trips
    }
    expect(await tripsOf({ caption: 'In words', targets: [page!.id] })).toBe(3)
    expect(await tripsOf({ caption: 'By network', platforms: ['NET_PAGE'] })).toBe(3)
  } finally {
    await product.stop()
    await line.close()
    await database.drop()
  }
})
