import { beforeEach, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import {
  type Answer,
  call,
  confirmEmail,
  connectPages,
  eventually,
  mailTo,
  newPerson,
  type Person,
  type Problem,
  uploadPicture,
} from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { Comment, Review, ReviewLink, SharedReviewLink } from './api.ts'

// A link to several posts: a reviewer looks at, decides and comments on each one, alone or together with the others.

const { product, sql } = useProduct({ env: FAST })
const LATER = '2099-05-05T09:00:00.000Z'
let owner: Person
let page: SocialAccount
let sandboxPerson = 70

beforeEach(async () => {
  owner = await newPerson(product.url, 'Olga')
  await confirmEmail(owner)
  page = (await connectPages(owner, `u${(sandboxPerson += 1)}`))[0]!
})

const told = ({ status, body }: Answer) => [status, (body as Problem).code]
const faults = ({ body }: Answer) => ((body as Problem).errors ?? []).map(({ path, code }) => [path, code])
const submit = (caption: string, more: object = {}) =>
  owner.must<Post>('POST', '/posts', { caption, targets: [page.id], action: 'submit', scheduledAt: LATER, ...more })
const share = (postIds: string[], more: object = { name: 'Nadia' }) =>
  owner.must<SharedReviewLink>('POST', '/review-links', { postIds, ...more })
const tokenOf = ({ url }: { url: string | null }) => url!.split('/').at(-1)!
const look = (token: string) => call<Review>(product.url, 'GET', `/api/v1/review/${token}`)
const act = (token: string, what: string, body: object) =>
  call<Review>(product.url, 'POST', `/api/v1/review/${token}/${what}`, body)
const seen = ({ posts }: Review) => posts.map(({ post }) => ({ postId: post.id, postVersion: post.version }))
const statusOf = async (id: string) => (await owner.must<Post>('GET', `/posts/${id}`)).status
const saidOf = async (id: string) =>
  (await owner.must<{ data: Comment[] }>('GET', `/posts/${id}/comments`)).data.map(({ text }) => text)

async function three(media: string[] = []) {
  const posts = [await submit('One', { media }), await submit('Two'), await submit('Three')]
  const order = [posts[2]!.id, posts[0]!.id, posts[1]!.id]
  const link = await share(order)
  return { posts, order, link, token: tokenOf(link) }
}

test('a link shows its posts with their pictures in the order of the request; its address is shown only once', async () => {
  const { order, link, token } = await three([(await uploadPicture(owner)).id])
  expect(link).toMatchObject({ name: 'Nadia', deletedPosts: 0, createdBy: { name: 'Olga' } })
  expect(link.posts.map(({ id, caption }) => [id, caption])).toEqual([
    [order[0], 'Three'],
    [order[1], 'One'],
    [order[2], 'Two'],
  ])
  const { body } = await look(token)
  expect(body.posts.map(({ post, mayDecide }) => [post.caption, mayDecide])).toEqual([
    ['Three', true],
    ['One', true],
    ['Two', true],
  ])
  expect(body.post).toEqual(body.posts[0]!.post)
  const picture = await fetch(body.posts[1]!.post.media[0]!.file.storageUrl!)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  const { data } = await owner.must<{ data: SharedReviewLink[] }>('GET', '/review-links')
  expect(data).toEqual([{ ...link, url: null, openedAt: data[0]!.openedAt }])
  expect(data[0]!.openedAt).not.toBeNull()
})

test("a link does not reveal the team's labels of its posts", async () => {
  const { order, token } = await three()
  const label = await owner.must<{ id: string }>('POST', '/labels', { name: 'Difficult client', color: 'red' })
  await owner.must('PATCH', `/posts/${order[0]}`, { labels: [label.id] })
  const { body } = await look(token)
  expect(body.posts.map(({ post }) => post.labels)).toEqual([[], [], []])
  expect(JSON.stringify(body)).not.toContain('Difficult client')
})

test('each post is approved, sent back and commented on by its id, without effect on the others', async () => {
  const { posts, token } = await three()
  const [one, two, three_] = posts as [Post, Post, Post]
  await act(token, 'approve', { postId: one.id, postVersion: one.version })
  await act(token, 'reject', { postId: two.id, postVersion: two.version, reason: 'Softer' })
  const { body } = await act(token, 'comments', { postId: three_.id, text: 'Lovely' })
  const shown = Object.fromEntries(body.posts.map((each) => [each.post.id, each]))
  expect(shown[one.id]!.post.status).toBe('SCHEDULED')
  expect(shown[two.id]!.changesAsked?.reason).toBe('Softer')
  expect(shown[three_.id]!.comments.map(({ text, author }) => [text, author.name])).toEqual([['Lovely', 'Nadia']])
  expect([await statusOf(one.id), await statusOf(two.id), await statusOf(three_.id)]).toEqual([
    'SCHEDULED',
    'DRAFT',
    'DRAFT',
  ])
  expect([await saidOf(one.id), await saidOf(three_.id)]).toEqual([[], ['Lovely']])
})

test('all posts are approved together, or none if one has changed', async () => {
  const { posts, token } = await three()
  const looked = seen((await look(token)).body)
  await owner.must('PATCH', `/posts/${posts[1]!.id}`, { caption: 'Changed behind the back' })
  await owner.must('POST', `/posts/${posts[1]!.id}/submit`)
  expect(told(await act(token, 'approve', { posts: looked }))).toEqual([412, 'stale_version'])
  for (const { id } of posts) expect(await statusOf(id)).toBe('DRAFT')
  const { status } = await act(token, 'approve', { posts: seen((await look(token)).body) })
  expect(status).toBe(200)
  for (const { id } of posts) expect(await statusOf(id)).toBe('SCHEDULED')
})

test('two reviewers who decide the same posts in opposite orders do not deadlock', async () => {
  const { posts, token } = await three()
  const other = tokenOf(await share(posts.map(({ id }) => id)))
  const looked = seen((await look(token)).body)
  const answers = await Promise.all([
    act(token, 'reject', { posts: looked, reason: 'Softer' }),
    act(other, 'reject', { posts: looked.toReversed(), reason: 'Louder' }),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test('one comment or one request for changes can cover all posts', async () => {
  const { posts, token } = await three()
  const ids = posts.map(({ id }) => id)
  await act(token, 'comments', { postIds: ids, text: 'Lovely' })
  for (const id of ids) expect(await saidOf(id)).toEqual(['Lovely'])
  const { body } = await act(token, 'reject', { posts: seen((await look(token)).body), reason: 'Softer' })
  expect(body.posts.map(({ changesAsked }) => changesAsked?.reason)).toEqual(['Softer', 'Softer', 'Softer'])
})

test('an act must name a post that the link shows', async () => {
  const { posts, token } = await three()
  const foreign = await submit('Not in the link')
  expect(faults(await act(token, 'approve', { postVersion: 1 }))).toEqual([['/postId', 'required']])
  expect(faults(await act(token, 'comments', { text: 'Lovely' }))).toEqual([['/postId', 'required']])
  expect(faults(await act(token, 'approve', { postId: posts[0]!.id }))).toEqual([['/postVersion', 'required']])
  const stranger = { postId: foreign.id, postVersion: foreign.version }
  expect(told(await act(token, 'approve', stranger))).toEqual([404, 'not_found'])
  expect(told(await act(token, 'comments', { postId: foreign.id, text: 'Lovely' }))).toEqual([404, 'not_found'])
  expect(await statusOf(foreign.id)).toBe('DRAFT')
  expect(await saidOf(foreign.id)).toEqual([])
})

test('a link drops and counts its deleted posts; without any post left it opens nothing', async () => {
  const { posts, order, token } = await three()
  await owner.must('DELETE', `/posts/${order[0]}`)
  const { body } = await look(token)
  expect([body.post.id, body.posts.map(({ post }) => post.id), body.deletedPosts]).toEqual([
    order[1],
    order.slice(1),
    1,
  ])
  const gone = { postId: order[0], postVersion: 1 }
  expect(told(await act(token, 'approve', gone))).toEqual([404, 'not_found'])
  const { data } = await owner.must<{ data: SharedReviewLink[] }>('GET', '/review-links')
  expect([data[0]!.posts.map(({ id }) => id), data[0]!.deletedPosts]).toEqual([order.slice(1), 1])
  for (const { id } of posts) if (id !== order[0]) await owner.must('DELETE', `/posts/${id}`)
  expect(told(await look(token))).toEqual([410, 'link_expired'])
  expect(told(await act(token, 'comments', { postId: order[1], text: 'Lovely' }))).toEqual([410, 'link_expired'])
})

test('a link is listed with each of its posts, and ending it ends it for all of them', async () => {
  const { order, link, token } = await three()
  for (const id of order) {
    const { data } = await owner.must<{ data: ReviewLink[] }>('GET', `/posts/${id}/review-links`)
    expect(data.map((each) => [each.id, each.postId])).toEqual([[link.id, id]])
  }
  await owner.must('DELETE', `/review-links/${link.id}`)
  expect(told(await look(token))).toEqual([410, 'link_expired'])
  expect(told(await owner.call('DELETE', `/review-links/${link.id}`))).toEqual([404, 'not_found'])
  const again = await share(order)
  await owner.must('DELETE', `/posts/${order[2]}/review-links`)
  expect(told(await look(tokenOf(again)))).toEqual([410, 'link_expired'])
})

test('a post has at most 20 valid links, and a revoked one makes room', async () => {
  const [full, other] = [await submit('One'), await submit('Two')]
  for (let made = 0; made < 20; made += 1) await share([full.id])
  for (const [path, body] of [
    ['/review-links', { postIds: [other.id, full.id] }],
    [`/posts/${full.id}/review-links`, { name: 'Nadia' }],
  ] as const) {
    const refused = await owner.call<Problem>('POST', path, body)
    expect([...told(refused), refused.body['limit']]).toEqual([409, 'too_many_saved', 20])
  }
  const { data } = await owner.must<{ data: SharedReviewLink[] }>('GET', '/review-links')
  await owner.must('DELETE', `/review-links/${data[0]!.id}`)
  expect((await share([other.id, full.id])).posts).toHaveLength(2)
})

test('the posts of a link must exist in the workspace, each named once', async () => {
  const post = await submit('One')
  const deleted = await submit('Two')
  await owner.must('DELETE', `/posts/${deleted.id}`)
  const foreign = await (await newPerson(product.url, 'Mallory')).must<Post>('POST', '/posts', { caption: 'Theirs' })
  const answer = await owner.call('POST', '/review-links', { postIds: [post.id, post.id, deleted.id, foreign.id] })
  expect(faults(answer)).toEqual([
    ['/postIds/1', 'duplicate'],
    ['/postIds/2', 'unknown_id'],
    ['/postIds/3', 'unknown_id'],
  ])
  const tooMany = await owner.call('POST', '/review-links', { postIds: Array<string>(51).fill(post.id) })
  expect(faults(tooMany).map(([path]) => path)).toEqual(['/postIds'])
  const { data } = await owner.must<{ data: SharedReviewLink[] }>('GET', '/review-links')
  expect(data).toEqual([])
})

test.each([
  ['that has passed', -1, 'in_the_past'],
  ['after more than 60 days', 61, 'out_of_range'],
])('an expiry date %s is refused', async (_what, days, code) => {
  const post = await submit('One')
  const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString()
  const answer = await owner.call('POST', '/review-links', { postIds: [post.id], expiresAt })
  expect(faults(answer)).toEqual([['/expiresAt', code]])
})

const letters = (address: string) =>
  eventually(async () => {
    const found = await mailTo(product.url, address)
    return found.length > 0 && found
  })

test('each address gets one letter in the language of the workspace, with a link that opens the posts', async () => {
  await owner.must('PATCH', `/workspaces/${owner.workspaceId}`, { language: 'ar' })
  const [one, two] = [await submit('One'), await submit('Two')]
  const emails = ['nadia', 'sami'].map((name) => `${name}-${one.id}@example.test`)
  const link = await share([one.id, two.id], { emails: [...emails, emails[0]!.toUpperCase()] })
  // With two addresses the link has no name until the first reviewer to act enters theirs.
  expect(link.name).toBeNull()
  for (const address of emails) {
    const [letter, ...more] = await letters(address)
    expect(more).toEqual([])
    expect(letter!.text).toContain('عدة منشورات للمراجعة')
    const token = /\/app\/review\/([\w-]+)/.exec(letter!.text)![1]!
    expect(token).toBe(tokenOf(link))
    expect((await look(token)).body.posts).toHaveLength(2)
  }
})

test('a link for one address is named after it', async () => {
  const post = await submit('One')
  const email = `nadia-${post.id}@example.test`
  expect((await share([post.id], { emails: [email] })).name).toBe(email)
  expect((await letters(email))[0]!.text).toContain('sent you a post to review')
})

test('an invalid address, more than 20 of them, or an unconfirmed sender is refused, and no link is made', async () => {
  const post = await submit('One')
  const ask = (emails: string[], by = owner) => by.call('POST', '/review-links', { postIds: [post.id], emails })
  expect(faults(await ask(['nadia@example.test', 'nobody']))[0]?.[0]).toBe('/emails/1')
  const many = Array.from({ length: 21 }, (_, index) => `n${index}-${post.id}@example.test`)
  expect(faults(await ask(many))[0]?.[0]).toBe('/emails')
  const lone = await newPerson(product.url, 'Una')
  const own = await lone.must<Post>('POST', '/posts', { caption: 'Tea' })
  const answer = await lone.call('POST', '/review-links', { postIds: [own.id], emails: ['nadia@example.test'] })
  expect(told(answer)).toEqual([409, 'invalid_state'])
  const { rows } = await sql.query('select from review_link where post_id = any ($1)', [[post.id, own.id]])
  expect(rows).toEqual([])
})

test('an address gets at most five letters a day; the sixth is refused along with its link', async () => {
  const post = await submit('One')
  const emails = [`nadia-${post.id}@example.test`]
  for (let sent = 0; sent < 5; sent += 1) await share([post.id], { emails })
  expect(told(await owner.call('POST', '/review-links', { postIds: [post.id], emails }))).toEqual([429, 'rate_limited'])
  const { data } = await owner.must<{ data: SharedReviewLink[] }>('GET', '/review-links')
  expect(data).toHaveLength(5)
})
