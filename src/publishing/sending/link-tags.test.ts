import { beforeEach, expect, test } from 'vitest'
import { FAST, useProduct } from '../../../test/fixtures.ts'
import {
  addFault,
  call,
  connect,
  connectPages,
  eventually,
  type LivePost,
  liveOn,
  newPerson,
  type Person,
  type Problem,
  untilSentAgain,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import type { SocialAccount } from '../../channels/api.ts'
import type { Check, Post } from '../posts/api.ts'
import type { Workspace } from '../../team/workspaces/api.ts'

// Link parameters are the same in the preview, in the checks and on the network, whatever changes in between.

const { product, sandbox, sql } = useProduct({ env: FAST })
let users = 1600

beforeEach(() => call(sandbox.url, 'DELETE', '/faults'))

const LINK = 'https://cafe.example/autumn?id=7#menu'
const setTags = (ann: Person, linkTags: object) =>
  ann.must<Workspace>('PATCH', `/workspaces/${ann.workspaceId}`, { linkTags })
const publish = (ann: Person, body: object) => ann.must<Post>('POST', '/posts', { ...body, action: 'publish' })
type Commented = LivePost & { comments: { text: string }[] }
const live = async (account: SocialAccount) =>
  ((await liveOn(sandbox.url)).get(account.externalId) ?? []) as Commented[]
const tagged = (campaign: string) =>
  LINK.replace('#', `&utm_source=facebook&utm_medium=social&utm_campaign=${campaign}#`)

async function withPage(campaign = 'autumn') {
  const ann = await newPerson(product.url)
  const [page] = await connectPages(ann, `u${(users += 1)}`)
  await setTags(ann, { on: true, campaign })
  return { ann, page: page! }
}

test('link parameters are off by default, take known placeholders only, and changing them changes the workspace', async () => {
  const ann = await newPerson(product.url)
  const before = await ann.must<Workspace>('GET', `/workspaces/${ann.workspaceId}`)
  expect(before.linkTags).toEqual({ on: false, source: '{network}', medium: 'social', campaign: '' })
  const refused = await ann.call<Problem>('PATCH', `/workspaces/${ann.workspaceId}`, { linkTags: { source: '{who}' } })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/linkTags/source' }] } })
  const after = await setTags(ann, { on: true })
  expect(after).toMatchObject({ linkTags: { ...before.linkTags, on: true }, version: before.version + 1 })
  expect(await setTags(ann, after.linkTags)).toMatchObject({ version: after.version })
})

test('link parameters are in the preview, count towards the length, and are posted as shown, also in the first comment', async () => {
  const { ann, page } = await withPage('{account}-{date}')
  const photo = (await connect(ann, 'NET_PHOTO', `u${(users += 1)}`))[0]!
  const content = {
    caption: `Come: ${LINK}.`,
    cta: `Or (${LINK})`,
    platformOptions: { NET_PAGE: { firstComment: `More: ${LINK}` } },
    targets: [page.id, photo.id],
    media: [(await uploadPicture(ann)).id],
  }
  interface Preview {
    checks: Check[]
    previews: { target: string; text: string; length: number }[]
  }
  const shown = await ann.must<Preview>('POST', '/posts/validate', content)
  const [onPage, onPhoto] = shown.previews
  const name = page.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  expect(onPage?.text).toMatch(
    new RegExp(`utm_source=facebook&utm_medium=social&utm_campaign=${name}-20\\d\\d-\\d\\d-\\d\\d#menu\\.`),
  )
  expect(onPage?.length).toBe(onPage?.text.length)
  // Links cannot be opened there.
  expect(onPhoto?.text).toBe(`Come: ${LINK}.\n\nOr (${LINK})`)

  const post = await publish(ann, content)
  await untilStatus(ann, post.id, ['PUBLISHED'])
  const [there] = await eventually(async () => {
    const found = await live(page)
    return found[0]?.comments.length === 1 && found
  })
  expect(there?.message).toBe(onPage?.text)
  expect(there?.comments[0]?.text).toBe(`More: ${/https\S+menu/.exec(onPage?.text ?? '')?.[0]}`)
  expect((await live(photo))[0]).toMatchObject({ message: onPhoto?.text })
})

test('link parameters can make a text too long', async () => {
  const { ann, page } = await withPage()
  const caption = `${'x'.repeat(63_206 - LINK.length - 1)} ${LINK}`
  const codes = async (body: object) =>
    (
      await ann.must<{ checks: Check[] }>('POST', '/posts/validate', { caption, targets: [page.id], ...body })
    ).checks.map(({ code }) => code)
  expect(await codes({ linkTags: { on: false } })).toEqual([])
  expect(await codes({})).toEqual(['text_too_long'])
})

test('a post can turn link parameters on or off or set a campaign, and a copy keeps this', async () => {
  const { ann, page } = await withPage()
  const texts = async (linkTags: object) => {
    const post = await ann.must<Post>('POST', '/posts', { caption: LINK, targets: [page.id], linkTags })
    const copy = await ann.must<Post>('POST', `/posts/${post.id}/duplicate`)
    expect(copy.linkTags).toEqual(post.linkTags)
    const { previews } = await ann.must<{ previews: { text: string }[] }>('POST', '/posts/validate', {
      caption: LINK,
      targets: [page.id],
      linkTags: post.linkTags,
    })
    return previews[0]?.text
  }
  expect(await texts({})).toBe(tagged('autumn'))
  expect(await texts({ on: false })).toBe(LINK)
  expect(await texts({ campaign: 'beans' })).toBe(tagged('beans'))
  await setTags(ann, { on: false })
  expect(await texts({})).toBe(LINK)
  expect(await texts({ on: true })).toBe(tagged('autumn'))
})

const stateOf = async ({ id }: Post) => {
  const { rows } = await sql.query<{ state: string; tries: number }>(
    'select state, tries from publication where post_id = $1',
    [id],
  )
  return rows[0]
}

test('a post with a lost answer is found as it was sent, also if the parameters have changed', async () => {
  const { ann, page } = await withPage()
  await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'after' }, times: 1 })
  const post = await publish(ann, { caption: `Lost and found ${LINK}`, targets: [page.id] })
  await eventually(async () => (await stateOf(post))?.state === 'SUBMITTING')
  await setTags(ann, { campaign: 'winter' })
  await untilStatus(ann, post.id, ['PUBLISHED'])
  expect((await live(page)).map(({ message }) => message)).toEqual([`Lost and found ${tagged('autumn')}`])
})

test('a second try sends the parameters of the first, so that a late post is recognized', async () => {
  const { ann, page } = await withPage()
  await addFault(sandbox.url, { match: { method: 'POST', path: '/feed' }, do: { drop: 'before' }, times: 1 })
  const post = await publish(ann, { caption: `Tried twice ${LINK}`, targets: [page.id] })
  await eventually(async () => (await stateOf(post))?.state === 'SUBMITTING')
  await setTags(ann, { campaign: 'winter' })
  expect((await untilSentAgain(sql, ann, post.id)).status).toBe('PUBLISHED')
  expect((await stateOf(post))?.tries).toBe(2)
  expect((await live(page)).map(({ message }) => message)).toEqual([`Tried twice ${tagged('autumn')}`])
  const next = await publish(ann, { caption: `The next one ${LINK}`, targets: [page.id] })
  await untilStatus(ann, next.id, ['PUBLISHED'])
  expect((await live(page)).map(({ message }) => message)).toContain(`The next one ${tagged('winter')}`)
})
