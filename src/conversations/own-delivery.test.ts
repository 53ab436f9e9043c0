import { expect, test } from 'vitest'
import { provenBy } from './own-delivery.ts'

const sent = { state: 'UNCONFIRMED', messageId: 'ours', text: 'See you soon', hasPicture: false } as const
const echo = {
  kind: 'message',
  accountId: 'page',
  key: 'e:1',
  at: '2026-01-01T10:00:00.000Z',
  id: '1',
  withId: 'ida',
  own: true,
  metadata: null,
  text: 'See you  soon',
  attachments: [],
} as const satisfies Parameters<typeof provenBy>[1]
const picture = [{ type: 'image', url: null }]

test.each([
  ['metadata proves a delivery in any state, whatever its text', { ...sent, state: 'FAILED', text: '' }, 'ours', true],
  ['metadata of another app proves none', sent, 'theirs', false],
  ['without metadata, an equal text proves an unknown outcome', sent, null, true],
  ['without metadata, an equal text proves what a person has found', { ...sent, state: 'PUBLISHED' }, null, true],
  ['without metadata, nothing is proven while it is being sent', { ...sent, state: 'SUBMITTING' }, null, false],
  ['another text proves nothing', { ...sent, text: 'See you' }, null, false],
  ['a text does not prove a picture', { ...sent, hasPicture: true }, null, false],
] as const)('%s', (_what, candidate, metadata, isProven) => {
  expect(provenBy([candidate], { ...echo, metadata })).toBe(isProven ? candidate : undefined)
})

test('a picture proves a picture, and the first of several alike', () => {
  const candidates = [
    { ...sent, text: null, hasPicture: false },
    { ...sent, text: null, hasPicture: true },
    { ...sent, text: null, hasPicture: true },
  ]
  expect(provenBy(candidates, { ...echo, text: '', attachments: picture })).toBe(candidates[1])
})
