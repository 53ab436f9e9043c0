import { expect, test } from 'vitest'
import { noticeLetter } from './letters.ts'

const letter = (language: string, data: object) =>
  noticeLetter({ name: 'Emil', language }, 'approval_decided', {
    notices: [{ postId: 'p', excerpt: 'Friday', state: 'APPROVED', by: 'Hana', status: 'DRAFT', ...data }],
    workspaceId: 'w',
    workspace: 'Bakery',
    publicUrl: 'https://parley.example.test',
  })

test.each([
  ['en', 'was approved by Hana, but its scheduled time has passed. Choose a new time.', 'It’s still a draft'],
  ['ar', '(Hana)، لكن موعده فات. اختر وقتًا جديدًا.', 'لا يزال مسودة'],
])('a letter (%s) about a post approved after its time asks for a new time', (language, late, still) => {
  const { text } = letter(language, { timePassed: true })
  expect([text.includes(late), text.includes(still)]).toEqual([true, false])
  expect(text).toContain('https://parley.example.test/app/w/w/posts/p')
  const intime = letter(language, {}).text
  expect([intime.includes(late), intime.includes(still)]).toEqual([false, true])
})

test.each([
  ['en', 'Too many hashtags for Instagram (30 at most).'],
  ['ar', 'عدد الوسوم أكبر مما يسمح به Instagram (الحد الأقصى: 30).'],
])('a letter (%s) about a post at risk names the obstacle', (language, reason) => {
  const { text } = noticeLetter({ name: 'Emil', language }, 'post_at_risk', {
    notices: [
      {
        postId: 'p',
        count: 1,
        excerpt: 'Friday',
        message: 'Too many hashtags for Instagram (30 at most).',
        reason: { code: 'too_many_hashtags', limit: 30, value: 31, account: 'Bakery', network: 'Instagram' },
      },
    ],
    workspaceId: 'w',
    workspace: 'Bakery',
    publicUrl: 'https://parley.example.test',
  })
  expect(text).toContain(reason)
})

test.each([
  ['en', 'Rana', 'Rana escalated a conversation.'],
  ['en', '', 'A conversation was escalated automatically.'],
  ['ar', '', 'صُعّدت محادثة تلقائيًا.'],
])('a letter (%s) about an escalation by "%s" says who or what caused it', (language, by, said) => {
  const notice = { threadId: 't', by }
  const { text } = noticeLetter({ name: 'Emil', language }, 'thread_escalated', {
    notices: [notice],
    workspaceId: 'w',
    workspace: 'Bakery',
    publicUrl: 'https://parley.example.test',
  })
  expect(text).toContain(said)
})
