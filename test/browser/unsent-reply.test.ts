import { expect, test } from 'vitest'
import { keepEdit, unsentEdit } from '../../web/features/conversations/bot/held/unsent-edit.ts'
import { addToReply, changeReply, dropSent, unsentReply } from '../../web/features/conversations/inbox/unsent-reply.ts'
import { forgetUnsent } from '../../web/storage.ts'

const NOTHING = { text: '', privately: false, parentId: null, picture: null }

test('a reply to which a text is added stays private if either of them is', () => {
  const added = (text: string, before: boolean, privately: boolean) => {
    changeReply('a', { ...NOTHING, text, privately: before })
    addToReply('a', { text: 'Second', privately })
    const { text: whole, privately: after } = unsentReply('a')
    return [whole, after]
  }
  expect(added('First', false, false)).toEqual(['First\nSecond', false])
  expect(added('First', false, true)).toEqual(['First\nSecond', true])
  expect(added('First', true, false)).toEqual(['First\nSecond', true])
  // Nothing was written yet that has to stay private.
  expect(added('', true, false)).toEqual(['Second', false])
})

test('what was sent is dropped, and what was typed meanwhile stays the way it is', () => {
  const typed = { text: 'Typed ', privately: true, parentId: 'c', picture: null }
  changeReply('b', typed)
  dropSent('b', { text: 'Sent' })
  expect(unsentReply('b')).toEqual(typed)
  dropSent('b', { text: 'Typed' })
  expect(unsentReply('b')).toEqual(NOTHING)
})

test('a picture is sent without the text, which stays', () => {
  const picture = { id: 'p', fileName: 'p.jpg', altText: '', storageUrl: null, thumbnailUrl: null }
  changeReply('c', { ...NOTHING, text: 'Later', picture })
  dropSent('c', { attachments: ['other'] })
  expect(unsentReply('c').picture).toEqual(picture)
  dropSent('c', { attachments: ['p'] })
  expect(unsentReply('c')).toEqual({ ...NOTHING, text: 'Later' })
})

test('replies and edits of drafts are forgotten where nothing is stored, too', () => {
  changeReply('d', { ...NOTHING, text: 'Never sent' })
  keepEdit('d', { draftId: 'e', messageId: 'f', text: 'Never sent', privately: false })
  forgetUnsent()
  expect([unsentReply('d'), unsentEdit('d')]).toEqual([NOTHING, null])
})
