import { beforeAll, expect, test } from 'vitest'
import { FAST, useProduct } from '../../test/fixtures.ts'
import { type OpenedInbox, openInbox, threadOf } from '../../test/inbox.ts'
import { eventually, newPerson, type Person } from '../../test/world.ts'
import type { OpenThread } from './threads/api.ts'

const { product, sandbox } = useProduct({ env: FAST })
let ann: Person
let page: OpenedInbox

beforeAll(async () => {
  ann = await newPerson(product.url)
  page = await openInbox(ann, sandbox.url, 'u4001')
})

const screen = async () => {
  const answer = await fetch(`${sandbox.url}/customers/${page.account.externalId}`)
  expect(answer.status).toBe(200)
  return answer.text()
}
/** Submits a form on the page where a person plays the customers. */
const play = async (fields: Record<string, string>) => {
  const answer = await fetch(`${sandbox.url}/customers/${page.account.externalId}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields),
  })
  expect(answer.status, await answer.text()).toBe(303)
}
const read = (thread: { id: string }) => ann.must<OpenThread>('GET', `/conversations/${thread.id}`)
/** Returns the value of the hidden field next to a text on the page. */
const idBeside = async (text: string, name: string) => {
  const parts = (await screen()).split(text)
  const field = new RegExp(`name="${name}" value="([^"]+)"`, 'g')
  const beside = [...(parts[1] ?? '').matchAll(field)][0] ?? [...parts.slice(0, -1).join(text).matchAll(field)].at(-1)
  return beside?.[1] ?? ''
}

test('a person plays a customer who comments, edits and deletes, and reads the answer there', async () => {
  await play({ kind: 'comment', post: page.postId, name: 'Kim Ito', text: 'Is it open?' })
  const thread = await threadOf(ann, 'Kim Ito')
  await ann.must('POST', `/conversations/${thread.id}/messages`, { text: 'Until six' })
  await eventually(async () => (await screen()).includes('Until six'))
  const id = await idBeside('Is it open?', 'id')
  await play({ kind: 'edit', id, name: 'Kim Ito', text: 'Is it open today?' })
  await eventually(async () => (await read(thread)).messages[0]?.text === 'Is it open today?')
  expect(await screen()).toContain('Is it open today?')
  await play({ kind: 'remove', id, name: 'Kim Ito' })
  await eventually(async () => (await read(thread)).messages[0]?.removedAt !== null)
  expect(await screen()).not.toContain('Is it open today?')
})

test('a customer who writes directly gets the name from their profile, and their picture is kept', async () => {
  await play({ kind: 'dm', name: 'Lea Sand', text: 'Do you deliver?' })
  const thread = await threadOf(ann, 'Lea Sand')
  expect(thread).toMatchObject({ kind: 'DM', messages: [{ text: 'Do you deliver?' }] })
  const person = await idBeside('Lea Sand', 'person')
  await play({ kind: 'dm', person, name: 'Lea Sand', picture: 'yes' })
  const kept = await eventually(async () => {
    const file = (await read(thread)).messages.at(-1)?.attachments[0]
    return file?.state === 'KEPT' && file
  })
  expect(kept).toMatchObject({ type: 'image', contentType: 'image/png' })
  const id = await idBeside('Do you deliver?', 'id')
  await play({ kind: 'edit', id, person, name: 'Lea Sand', text: 'Do you deliver on Sunday?' })
  await eventually(async () => (await read(thread)).messages[0]?.text === 'Do you deliver on Sunday?')
  expect(await screen()).toContain('Do you deliver on Sunday?')
})

test('a form from another site and the page of an unknown account are refused', async () => {
  const foreign = await fetch(`${sandbox.url}/customers/${page.account.externalId}`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ kind: 'dm', name: 'x', text: 'x' }),
  })
  expect(foreign.status).toBe(403)
  expect((await fetch(`${sandbox.url}/customers/0`)).status).toBe(404)
})
