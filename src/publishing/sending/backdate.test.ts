import { describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { connectPages, newPerson, type Problem, untilStatus } from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Post } from '../posts/api.ts'

const AT = '2026-01-05T09:00:00.000Z'

describe('backdating for a demo', () => {
  const { product } = useProduct()

  test('gives a live post the time at which the demo claims it went out, on every screen', async () => {
    const ann = await newPerson(product.url)
    const [page] = (await connectPages(ann)) as [SocialAccount]
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Then', targets: [page.id], action: 'publish' })
    await untilStatus(ann, id, ['PUBLISHED'])
    const post = await ann.must<Post>('POST', `/posts/${id}/backdate`, { publishedAt: AT })
    expect([post.publishedAt, post.happensAt, post.publications[0]?.publishedAt]).toEqual([AT, AT, AT])
    const { data } = await ann.must<{ data: Post[] }>(
      'GET',
      '/scheduler/calendar?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z',
    )
    expect(data.map((one) => one.id)).toEqual([id])
  })

  test('does not change a post that is not live, or move one into the future', async () => {
    const ann = await newPerson(product.url)
    const [page] = (await connectPages(ann)) as [SocialAccount]
    const draft = await ann.must<Post>('POST', '/posts', { caption: 'Not yet', targets: [page.id] })
    const early = await ann.call<Problem>('POST', `/posts/${draft.id}/backdate`, { publishedAt: AT })
    expect([early.status, early.body.code]).toEqual([409, 'invalid_state'])
    const late = await ann.call<Problem>('POST', `/posts/${draft.id}/backdate`, { publishedAt: '2099-01-01T00:00:00Z' })
    expect([late.status, late.body.code]).toEqual([422, 'validation_failed'])
  })
})

describe('on real networks', () => {
  const { product } = useProduct({ env: { SANDBOX: 'off' }, own: true })

  test('no post can be dated into the past: the operation does not exist', async () => {
    const ann = await newPerson(product.url)
    const { id } = await ann.must<Post>('POST', '/posts', { caption: 'Not live' })
    const answer = await ann.call<Problem>('POST', `/posts/${id}/backdate`, { publishedAt: AT })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })
})
