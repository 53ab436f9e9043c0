import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { behave, caption, modelCalls } from '../../../test/ai.ts'
import { freshDatabase } from '../../../test/database.ts'
import { useProduct } from '../../../test/fixtures.ts'
import { wakeLane } from '../../../test/jobs.ts'
import { startProduct } from '../../../test/product.ts'
import { long, sized } from '../../../test/tier.ts'
import {
  asPerson,
  call,
  connectPages,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  uploadPicture,
} from '../../../test/world.ts'
import { LIMITS } from '../../core/platform/model/call.ts'
import type { BrandVoice } from '../brand-voices/api.ts'
import type { MediaFile } from '../../publishing/media/api.ts'
import type { Post } from '../../publishing/posts/api.ts'
import { WAIT } from './routes.ts'
import type { Generation, ImageAnswer, OptionsAnswer, PostTags, Suggestion, VoiceAnswer } from './api.ts'

// The newest call of the model is read, and calls of other files may go on.
const { product, sql } = useProduct({ own: true })
let ann: Person

beforeEach(async () => {
  ann = await newPerson(product.url)
})
afterEach(() => behave(product.url, {}))

const told = async () => JSON.parse((await modelCalls(product.url))[0]?.prompt ?? '{}') as Record<string, unknown>
const latest = async () => (await ann.must<{ data: Generation[] }>('GET', '/ai/generations?limit=1')).data[0]

describe('a caption', () => {
  test('has as many options as requested, best first, and is kept with its author, input and cost', async () => {
    const wishes = {
      count: 4,
      hashtags: { min: 2, max: 3 },
      cta: { text: 'Order by phone' },
      emoji: 'none',
      length: 'short',
    }
    const answer = await caption(ann, wishes)
    expect(answer.options).toHaveLength(4)
    const scores = answer.options.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    for (const { hashtags, cta } of answer.options) {
      expect(hashtags?.length).toBeGreaterThanOrEqual(2)
      expect(hashtags?.length).toBeLessThanOrEqual(3)
      expect(cta).toBe('Order by phone')
    }
    expect(await latest()).toMatchObject({
      id: answer.id,
      kind: 'caption',
      status: 'SUCCEEDED',
      input: { topic: 'Fresh sourdough bread', ...wishes },
      options: answer.options,
      credits: 1,
      createdBy: { name: 'Ann' },
    })
    expect(await ann.must('GET', `/ai/generations/${answer.id}`)).toEqual(await latest())
  })

  test('follows the brief: the model gets every field', async () => {
    await caption(ann, {
      tone: 'witty',
      length: 'long',
      language: 'العربية',
      ctaOptions: { style: 'soft' },
      platform: 'NET_PHOTO',
      hashtags: true,
    })
    expect(await told()).toMatchObject({
      task: 'caption',
      count: 3,
      topic: 'Fresh sourdough bread',
      tone: 'witty',
      length: 'long-form',
      language: { code: 'ar', name: 'Arabic' },
      cta: { style: 'soft' },
      hashtags: { min: 3, max: 5 },
      network: { platform: 'NET_PHOTO', characters: 2200, hashtags: 30 },
    })
    await caption(ann, { hashtags: { include: false, count: 5 }, cta: false })
    expect(await told()).toMatchObject({ hashtags: null, cta: null, network: null, language: { code: 'en' } })
    await ann.must('POST', '/ai/caption/rewrite', {
      caption: 'قهوة جديدة كل صباح في محلنا الصغير',
      instruction: 'Warmer',
    })
    expect(await told()).toMatchObject({ task: 'rewrite', language: { code: 'ar' }, instruction: 'Warmer' })
    await caption(ann, { topic: 'قهوة جديدة كل صباح' })
    expect(await told()).toMatchObject({ language: { code: 'ar' } })
    await caption(ann, { topic: 'قهوة جديدة كل صباح', language: 'en' })
    expect(await told()).toMatchObject({ language: { code: 'en' } })
  })

  test('uses the default voice, the one that is named, or none if it is null or there is no default', async () => {
    await caption(ann)
    expect((await told())['voice']).toBeNull()
    const warm = await ann.must<BrandVoice>('POST', '/brand-voices', { name: 'Warm', vocabulary: { avoid: ['fresh'] } })
    const cold = await ann.must<BrandVoice>('POST', '/brand-voices', { name: 'Cold', writingStyle: 'Cold.' })
    const answer = await caption(ann)
    expect((await told())['voice']).toMatchObject({ vocabulary: { avoid: ['fresh'] } })
    for (const { text } of answer.options) expect(text).not.toMatch(/\bfresh\b/i)
    expect(await latest()).toMatchObject({ brandVoiceId: warm.id })
    await caption(ann, { brandVoiceId: cold.id })
    expect((await told())['voice']).toMatchObject({ writingStyle: 'Cold.' })
    await caption(ann, { brandVoiceId: null })
    expect((await told())['voice']).toBeNull()
    expect(await latest()).toMatchObject({ brandVoiceId: null })
    await ann.must('DELETE', `/brand-voices/${warm.id}`)
    await caption(ann)
    expect((await told())['voice']).toBeNull()
  })

  test('that breaks a rule is rewritten with its faults, and dropped if it is still wrong', async () => {
    await behave(product.url, { disobey: ['emoji'], times: 1 })
    const again = await caption(ann, { emoji: 'none' })
    expect([again.options.length, again.dropped]).toEqual([3, []])
    const repair = (await told())['repair'] as { wrong: string[] }[]
    expect(repair.map(({ wrong }) => wrong)).toEqual([['emoji_policy'], ['emoji_policy'], ['emoji_policy']])
    await behave(product.url, { disobey: ['emoji'] })
    expect(
      (await ann.call<Problem>('POST', '/ai/caption/generate', { topic: 'Rye', emoji: 'none' })).body,
    ).toMatchObject({
      status: 502,
      code: 'ai_unusable',
    })
  })
})

/** Returns the events of a stream, as far as they were read. */
async function stream(body: object, until?: string, signal?: AbortSignal) {
  const response = await fetch(`${product.url}/ai/caption/generate`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ann.session.accessToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
  const events: { event: string; data: OptionsAnswer & Problem & { text: string } }[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    for (const each of whole) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(each) ?? []
      if (event) events.push({ event, data: JSON.parse(data) })
    }
    if (until && events.some(({ event }) => event === until)) break
  }
  return { response, events }
}

describe('waiting for an answer', () => {
  test('in a stream shows each option as it arrives, and the whole answer at the end', async () => {
    await behave(product.url, { chunkDelayMs: 20 })
    const { response, events } = await stream({ topic: 'Rye bread' })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(events.map(({ event }) => event)).toEqual(['option', 'option', 'option', 'done'])
    const done = events[3]?.data
    expect(new Set(done?.options.map(({ text }) => text))).toEqual(
      new Set(events.slice(0, 3).map(({ data }) => data.text)),
    )
    expect(done?.usage.credits).toBe(1)
  })

  test('in a stream ends with the problem if there is no result; an invalid request gets no stream', async () => {
    await behave(product.url, { answer: 'refusal' })
    const { events } = await stream({ topic: 'Rye bread' })
    expect(events).toMatchObject([{ event: 'error', data: { status: 502, code: 'ai_refused' } }])
    const { response } = await stream({ topic: '' })
    expect([response.status, response.headers.get('content-type')]).toEqual([422, expect.stringContaining('problem')])
  })

  test.each([
    ['a stream', 'text/event-stream'],
    ['an answer', 'application/json'],
  ])('for %s stops the call when the client leaves, at no cost', async (_what, accept) => {
    await behave(product.url, { delayMs: 4_000 })
    const gone = new AbortController()
    const waiting = fetch(`${product.url}/ai/caption/generate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.session.accessToken}`, 'content-type': 'application/json', accept },
      body: JSON.stringify({ topic: 'Rye' }),
      signal: gone.signal,
    }).then((response) => response.text())
    await eventually(async () => (await latest())?.status === 'RUNNING')
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await eventually(async () => (await latest())?.status === 'CANCELLED')
    expect(await latest()).toMatchObject({ credits: 0 })
  })

  test('ends before the model gives up, so that the work can continue', () => {
    expect(LIMITS.wholeMs).toBeGreaterThan(2 * WAIT)
  })

  test.runIf(long)('ends after 25 seconds with a location, and the work continues', async () => {
    // The model stays silent for longer than a request waits.
    await behave(product.url, { delayMs: 27_000 })
    const answer = await ann.call<Generation>('POST', '/ai/caption/generate', { topic: 'Rye bread', length: 'medium' })
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ status: 'RUNNING' })
    expect(answer.headers.get('location')).toBe(`/api/v1/ai/generations/${answer.body.id}`)
    await behave(product.url, {})
    const { status } = await eventually(async () => {
      const found = await ann.must<Generation>('GET', answer.headers.get('location') ?? '')
      return found.endedAt ? found : undefined
    })
    expect(status).toBe('SUCCEEDED')
  })
})

test('a person can ask 20 times a minute', async () => {
  const ask = () => ann.call<Problem>('POST', '/ai/cta/generate', { topic: 'Tea' })
  for (let call = 0; call < 20; call += 1) expect((await ask()).status).toBe(200)
  const refused = [await ask(), await ask(), await ask()]
  expect(refused.map(({ body }) => body.code)).toEqual(['rate_limited', 'rate_limited', 'rate_limited'])
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the longest texts are accepted in every script', async () => {
  const bea = await newPerson(product.url, 'Bea')
  const samplePosts = Array.from({ length: 10 }, () => '新'.repeat(3_000))
  expect((await bea.call('POST', '/ai/brand-voice/suggest', { samplePosts })).status).toBe(200)
})

describe('hashtags', () => {
  const ask = (body: object) =>
    ann.call<OptionsAnswer & Problem>('POST', '/ai/hashtags/generate', { niche: 'Bakery', ...body })
  const made = (more: object = {}) => ann.must<Post>('POST', '/posts', { caption: 'Rye bread', ...more })

  test('are as many as requested, each once, and the model knows what the media show', async () => {
    const file = await uploadPicture(ann)
    await ann.must('PATCH', `/media/${file.id}`, { altText: 'A loaf of rye bread' })
    const { body } = await ask({ mediaIds: [file.id], count: 6 })
    expect(body.options).toHaveLength(1)
    const tags = body.options[0]?.hashtags ?? []
    expect(new Set(tags.map((tag) => tag.toLowerCase())).size).toBe(6)
    expect(body.options[0]?.text).toBe(tags.join(' '))
    expect((await told())['media']).toEqual([{ kind: 'IMAGE', altText: 'A loaf of rye bread', fileName: 'coffee.jpg' }])
  })

  test('are saved to their post as an edit by the caller, or as the override of one network', async () => {
    const post = await made()
    const { body } = await ask({ postId: post.id, count: 4 })
    expect(body.applied).toBe(true)
    const edited = await ann.must<Post>('GET', `/posts/${post.id}`)
    expect([edited.hashtags, edited.version]).toEqual([body.options[0]?.hashtags, 2])
    const own = await ask({ postId: post.id, platform: 'NET_PHOTO', count: 3 })
    const again = await ann.must<Post>('GET', `/posts/${post.id}`)
    expect(again.hashtagOverrides).toEqual({ NET_PHOTO: own.body.options[0]?.hashtags })
    expect(again.hashtags).toEqual(edited.hashtags)
    const { rows } = await sql.query<{ actor: string }>(
      `select actor_id as actor from audit_entry where workspace_id = $1 and action = 'post.edited'`,
      [ann.workspaceId],
    )
    expect(rows.map(({ actor }) => actor)).toEqual([ann.session.user.id, ann.session.user.id])
  })

  test('keep concurrent changes, and are not applied to a post that has gone out', async () => {
    const post = await made()
    await behave(product.url, { delayMs: 600 })
    const answer = ask({ postId: post.id })
    await eventually(async () => (await latest())?.status === 'RUNNING')
    await ann.must('PATCH', `/posts/${post.id}`, { caption: 'Changed meanwhile' })
    expect((await answer).body.applied).toBe(true)
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({
      caption: 'Changed meanwhile',
      hashtags: (await answer).body.options[0]?.hashtags,
      version: 3,
    })
    const late = ask({ postId: post.id })
    await eventually(async () => (await latest())?.status === 'RUNNING')
    await sql.query(`update post set status = 'PUBLISHED' where id = $1`, [post.id])
    expect((await late).body).toMatchObject({ applied: false, usage: { credits: 1 } })
  })

  test('for a post that cannot be edited are refused as every edit is, at no cost', async () => {
    const [page] = await connectPages(ann)
    const post = await made({ targets: [page?.id], action: 'publish' })
    await untilStatus(ann, post.id, ['PUBLISHED'])
    expect((await ask({ postId: post.id })).body).toMatchObject({ status: 409, code: 'already_published' })
    expect(await latest()).toBeUndefined()
  })
})

describe('a change of a caption', () => {
  const rewrite = (body: object) => ann.call<OptionsAnswer & Problem>('POST', '/ai/caption/rewrite', body)
  const caption = 'Teh new oat milk cappuccino is on the counter today. Come by and taste it!'

  test.each([
    ['shorter', (length: number) => length < caption.length],
    ['longer', (length: number) => length > caption.length],
  ] as const)('%s: every option is', async (change, is) => {
    const { options } = (await rewrite({ caption, change })).body
    expect(options).toHaveLength(3)
    for (const { text, reasons } of options) {
      expect(is(text.length), text).toBe(true)
      expect(reasons).not.toContain(change === 'shorter' ? 'longest' : 'shortest')
    }
    expect(await told()).toMatchObject({ task: 'rewrite', change })
  })

  test('spelling: one answer that corrects mistakes only, without a voice', async () => {
    await ann.must('POST', '/brand-voices', { name: 'Warm', vocabulary: { avoid: ['counter'] } })
    const { body } = await rewrite({ caption, change: 'spelling' })
    expect(body).toMatchObject({
      asked: 1,
      options: [{ text: caption.replace('Teh', 'The'), reasons: [] }],
      dropped: [],
    })
    expect(await told()).toMatchObject({ task: 'correct', count: 1, voice: null })
    expect(await latest()).toMatchObject({ input: { change: 'spelling' }, brandVoiceId: null })
  })

  test.each([
    [{ caption: 'Fresh bread', change: 'shorter' }, '/caption'],
    [{ caption, change: 'spelling', tone: 'warm' }, '/change'],
    [{ caption, change: 'spelling', count: 3 }, '/change'],
    [{ caption, change: 'louder' }, '/change'],
  ])('%j is refused before the model is asked', async (body, path) => {
    expect((await rewrite(body)).body).toMatchObject({ code: 'validation_failed', errors: [{ path }] })
    expect(await latest()).toBeUndefined()
  })
})

describe('a translation', () => {
  test('is one option in the language, with hashtags, links, mentions and emoji in place; the post does not change', async () => {
    const text = '☕ Good things begin small.\n\nCome by @ann 🎉 https://a.example/x?y=1 #coffee'
    const post = await ann.must<Post>('POST', '/posts', { caption: text })
    const { options } = await ann.must<OptionsAnswer>('POST', '/ai/translate', {
      caption: text,
      language: 'Arabic',
      postId: post.id,
    })
    expect(options).toHaveLength(1)
    const kept = /☕|@ann|🎉|https:\S+|#coffee|\n/gu
    expect(options[0]?.text.match(kept)).toEqual(text.match(kept))
    expect(options[0]?.text).toMatch(/\p{Script=Arabic}{3}/u)
    expect(await ann.must('GET', `/posts/${post.id}`)).toMatchObject({ caption: text, version: 1 })
  })

  test('includes the call to action and the hashtags next to the caption, if there are any', async () => {
    const { options } = await ann.must<OptionsAnswer>('POST', '/ai/translate', {
      caption: 'Good things begin small.',
      cta: 'Shop now',
      hashtags: ['#New', '#Parley'],
      targetLanguage: 'ar',
    })
    expect(options).toMatchObject([{ cta: 'تسوقوا الآن', hashtags: ['#جديد', '#Parley'] }])
  })

  test('that lost something is dropped', async () => {
    await behave(product.url, { disobey: ['lost'] })
    const answer = await ann.call<Problem>('POST', '/ai/translate', {
      caption: 'See https://a.example 🎉',
      targetLanguage: 'de',
    })
    expect(answer.body.code).toBe('ai_unusable')
  })

  test('names an unknown language as a fault', async () => {
    const answer = await ann.call<Problem>('POST', '/ai/translate', { caption: 'Tea', targetLanguage: 'Klingonese' })
    expect(answer.body.errors).toMatchObject([{ path: '/targetLanguage', code: 'unknown_language' }])
  })
})

describe('a picture', () => {
  const sizes = [
    ['4:5', 1024, 1280],
    ['16:9', 1536, 864],
    ['1:1', 1024, 1024],
    ['9:16', 864, 1536],
  ] as const
  test.each(sizes.slice(0, sized(2, 4)))(
    'of %s is saved as a file marked as made by AI, with exactly these dimensions',
    async (aspectRatio, width, height) => {
      const { media, usage } = await ann.must<ImageAnswer>('POST', '/ai/image/generate', {
        prompt: 'A loaf of rye',
        aspectRatio,
      })
      expect(usage.credits).toBe(10)
      expect(media).toMatchObject({
        aiGenerated: true,
        altText: 'A loaf of rye',
        fileName: 'A-loaf-of-rye.jpg',
        kind: 'IMAGE',
      })
      const file = await eventually(async () => {
        const found = await ann.must<MediaFile>('GET', `/media/${media.id}`)
        return found.state === 'PROCESSING' ? undefined : found
      })
      expect([file.state, file.width, file.height]).toEqual(['READY', width, height])
      const bytes = Buffer.from(await (await fetch(file.storageUrl ?? '')).arrayBuffer())
      expect(await sharp(bytes).metadata()).toMatchObject({ width, height })
    },
  )

  test('is added to the media of its post, after the others', async () => {
    const file = await uploadPicture(ann)
    const post = await ann.must<Post>('POST', '/posts', { caption: 'Rye', media: [file.id] })
    const { media, applied } = await ann.must<ImageAnswer>('POST', '/ai/image/generate', {
      prompt: 'Rye',
      postId: post.id,
    })
    expect(applied).toBe(true)
    const edited = await ann.must<Post>('GET', `/posts/${post.id}`)
    expect(edited.media.map(({ mediaFileId }) => mediaFileId)).toEqual([file.id, media.id])
  })

  test('that was stopped leaves neither a file nor bytes', async () => {
    await behave(product.url, { delayMs: 3_000 })
    const answer = ann.call<Problem>('POST', '/ai/image/generate', { prompt: 'Rye' })
    const { id } = await eventually(latest)
    await ann.must('POST', `/ai/generations/${id}/cancel`)
    expect((await answer).body.code).toBe('ai_cancelled')
    await behave(product.url, {})
    const { data } = await ann.must<{ data: MediaFile[] }>('GET', '/media')
    expect(data).toEqual([])
  })

  test('without enough storage quota is refused before the model is asked', async () => {
    await uploadPicture(ann)
    await sql.query(
      `update workspace_usage set used = 53687091200 where workspace_id = $1 and quota_id = 'media_bytes'`,
      [ann.workspaceId],
    )
    const answer = await ann.call<Problem>('POST', '/ai/image/generate', { prompt: 'Rye' })
    expect(answer.body).toMatchObject({ status: 402, quota: 'media_bytes' })
  })
})

test('a voice is described from posts, and can be saved as it is', async () => {
  const samplePosts = ['Rye bread tomorrow!', 'Bread again, and rolls!']
  const { voice } = await ann.must<VoiceAnswer>('POST', '/ai/brand-voice/suggest', { samplePosts })
  expect(voice.samplePosts).toEqual(samplePosts)
  expect(voice.toneAttributes.length).toBeGreaterThan(0)
  await ann.must('POST', '/brand-voices', { name: 'Ours', ...voice })
})

test('calls to action come in the requested number', async () => {
  const { options } = await ann.must<OptionsAnswer>('POST', '/ai/cta/generate', { goal: 'Sell bread', count: 2 })
  expect(options).toHaveLength(2)
})

test('the history can be filtered by post and by kind, and is hidden from clients', async () => {
  const post = await ann.must<Post>('POST', '/posts', { caption: 'Rye' })
  await caption(ann)
  await caption(ann, { postId: post.id })
  await ann.must('POST', '/ai/cta/generate', { topic: 'Rye' })
  const list = async (query: string) =>
    (await ann.must<{ data: Generation[] }>('GET', `/ai/generations?${query}`)).data.map(({ kind }) => kind)
  expect(await list('')).toEqual(['cta', 'caption', 'caption'])
  expect(await list('kind=cta')).toEqual(['cta'])
  expect(await list(`postId=${post.id}`)).toEqual(['caption'])
  await sql.query(`update member set role = 'CLIENT' where workspace_id = $1`, [ann.workspaceId])
  expect((await ann.call('GET', '/ai/generations')).status).toBe(403)
})

test('an accepted option is recorded, and its post is tagged with topic, tone and format', async () => {
  const file = await uploadPicture(ann)
  const { id, options } = await caption(ann)
  const post = await ann.must<Post>('POST', '/posts', { caption: options[0]?.text, media: [file.id] })
  const tags = async () => (await ann.must<{ data: PostTags | null }>('GET', `/posts/${post.id}/tags`)).data
  expect(await tags()).toBeNull()
  const beyond = await ann.call<Problem>('POST', `/ai/generations/${id}/accept`, { option: 9, postId: post.id })
  expect(beyond.body.errors).toMatchObject([{ path: '/option', code: 'out_of_range' }])
  const unknown = await ann.call<Problem>('POST', `/ai/generations/${id}/accept`, { option: 0, postId: randomUUID() })
  expect(unknown.body.errors).toMatchObject([{ path: '/postId', code: 'unknown_id' }])
  await ann.must('POST', `/ai/generations/${id}/accept`, { option: 0, postId: post.id })
  const found = await eventually(async () => (await tags()) ?? undefined)
  expect(found).toMatchObject({ postId: post.id, format: 'picture', tone: expect.any(String) as string })
  expect((await latest())?.credits).toBe(1)
})

describe('ideas', () => {
  const list = async () => (await ann.must<{ data: Suggestion[] }>('GET', '/ai/suggestions')).data

  test('are refreshed for one credit: at most ten, best first, each a brief that can be sent', async () => {
    expect(await list()).toEqual([])
    const { data } = await ann.must<{ data: Suggestion[] }>('POST', '/ai/suggestions/refresh')
    expect(data).toEqual(await list())
    expect(data.length).toBeLessThanOrEqual(10)
    expect(new Set(data.map(({ kind }) => kind))).toEqual(new Set(['topic', 'gap']))
    expect(await latest()).toMatchObject({ kind: 'suggestions', status: 'SUCCEEDED', credits: 1 })
    expect((await ann.call('POST', '/ai/caption/generate', data[0]?.brief)).status).toBe(200)
  })

  test('come as one answer even to a client that accepts a stream', async () => {
    const stream = { accept: 'text/event-stream' }
    const { status, body } = await ann.call<object>('POST', '/ai/suggestions/refresh', undefined, stream)
    expect({ status, body }).toMatchObject({ status: 200, body: { data: await list() } })
  })

  test('never call a day empty that has a post in the calendar, including posts in review', async () => {
    const gaps = async () => {
      await ann.must('POST', '/ai/suggestions/refresh')
      return (await list()).filter(({ kind }) => kind === 'gap').map(({ scheduledAt }) => scheduledAt ?? '')
    }
    const [first = '', ...others] = await gaps()
    await ann.must('POST', '/posts', { caption: 'Waits', scheduledAt: first, action: 'draft' })
    const later = await gaps()
    expect(later).not.toContain(first)
    expect(later.slice(0, 2)).toEqual(others)
  })

  test('stay unchanged after a failure, which costs nothing', async () => {
    await ann.must('POST', '/ai/suggestions/refresh')
    const before = await list()
    await behave(product.url, { answer: 'refusal' })
    expect((await ann.call<Problem>('POST', '/ai/suggestions/refresh')).body.code).toBe('ai_refused')
    expect(await list()).toEqual(before)
    expect(await latest()).toMatchObject({ status: 'FAILED', credits: 0 })
  })

  test('of the day are prepared for workspaces in use, without topics if there is no model', async () => {
    await ann.must('POST', '/posts', { caption: 'Rye' })
    const idle = await newPerson(product.url, 'Bea')
    // Makes it noon for all workspaces, so that their day has begun.
    await sql.query(`update workspace set timezone = 'Etc/GMT' || case when behind < 0 then '' else '+' end || behind
      from (select extract(hour from app_now() at time zone 'UTC')::int - 12 as behind) zone`)
    await behave(product.url, { answer: 'refusal' })
    await sql.query(`select graphile_worker.add_job('suggestions-daily',
      '{"workspaceId": "00000000-0000-0000-0000-000000000000", "data": {}}')`)
    const ideas = await eventually(async () => {
      const found = await list()
      return found.length > 0 ? found : undefined
    })
    expect(ideas.every(({ kind }) => kind !== 'topic')).toBe(true)
    expect((await idle.must<{ data: unknown[] }>('GET', '/ai/suggestions')).data).toEqual([])
    const { rows } = await sql.query('select from credit_entry where workspace_id = $1', [ann.workspaceId])
    expect(rows).toEqual([])
  })
})

test('a request stays with its cost after its author is deleted, without a name', async () => {
  const bea = await newPerson(product.url, 'Bea')
  await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, [
    ann.workspaceId,
    bea.session.user.id,
  ])
  await caption(asPerson(product.url, bea.session, ann.workspaceId))
  expect(await latest()).toMatchObject({ credits: 1, createdBy: { name: 'Bea' } })
  await sql.query('delete from app_user where id = $1', [bea.session.user.id])
  expect(await latest()).toMatchObject({ credits: 1, createdBy: null })
})

/** Begins the day of the workspace, and makes it one in use. Returns words that only its own prompts have. */
async function beginDay(): Promise<string> {
  await ann.must('POST', '/posts', { caption: 'Rye' })
  await sql.query(
    `update workspace set timezone = 'Etc/GMT' || case when behind < 0 then '' else '+' end || behind
      from (select extract(hour from app_now() at time zone 'UTC')::int - 12 as behind) zone where id = $1`,
    [ann.workspaceId],
  )
  const niche = `bread ${randomUUID()}`
  await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { niche })
  return niche
}

/** Begins to prepare the ideas of the day. The returned function waits for the end. */
async function beginIdeas(): Promise<() => Promise<unknown>> {
  const payload = JSON.stringify({ workspaceId: ann.workspaceId, data: { own: true } })
  const { rows } = await sql.query<{ id: string }>(
    `select id from graphile_worker.add_job('suggestions-daily', $1::json)`,
    [payload],
  )
  await wakeLane(sql, 'suggestions-daily')
  return () =>
    eventually(async () => {
      const { rowCount } = await sql.query('select from graphile_worker._private_jobs where id = $1', [rows[0]?.id])
      return rowCount === 0
    })
}

const keptIdeas = async () =>
  (await ann.must<{ data: Suggestion[] }>('GET', '/ai/suggestions')).data.map(({ id }) => id).toSorted()

test('ideas that a person requests while those of the day are prepared stay', async () => {
  const niche = await beginDay()
  // The answer to the job alone takes so long that the person's comes first.
  await behave(product.url, { delayMs: 8_000, times: 1, about: niche })
  const ended = await beginIdeas()
  await eventually(async () => {
    const { body } = await call<object>(product.url, 'GET', '/sandbox/ai/behaviour')
    return Object.keys(body).length === 0
  })
  await ann.must('POST', '/ai/suggestions/refresh')
  const paid = await keptIdeas()
  expect(paid.length).toBeGreaterThan(0)
  await ended()
  expect(await keptIdeas()).toEqual(paid)
})

test('the model is asked for ideas once a day, or three times if none could be kept; new ideas replace the old', async () => {
  const niche = await beginDay()
  const calls = async () => (await modelCalls(product.url)).filter(({ prompt }) => prompt.includes(niche)).length
  const prepare = async () => (await beginIdeas())()
  const before = await calls()
  await prepare()
  const first = await keptIdeas()
  expect(first.length).toBeGreaterThan(0)
  await prepare()
  expect([await calls(), await keptIdeas()]).toEqual([before + 1, first])
  for (let run = 0; run < 3; run += 1) {
    await sql.query('delete from ai_suggestion where workspace_id = $1', [ann.workspaceId])
    await prepare()
  }
  expect([await calls(), await keptIdeas()]).toEqual([before + 3, []])
  // The next day brings new ideas, which replace the old ones.
  await sql.query(`delete from try_count where key = $1`, [`ideas ${ann.workspaceId}`])
  await prepare()
  const second = await keptIdeas()
  await sql.query(`delete from try_count where key = $1`, [`ideas ${ann.workspaceId}`])
  await sql.query(`update ai_suggestion set made_at = made_at - interval '1 day' where workspace_id = $1`, [
    ann.workspaceId,
  ])
  await prepare()
  const third = await keptIdeas()
  expect(third.length).toBe(second.length)
  expect(third.filter((id) => second.includes(id))).toEqual([])
})

test.runIf(long)('a missing provider is reported before anything else', async () => {
  const bare = await freshDatabase()
  const without = await startProduct({ databaseUrl: bare.url, env: { SANDBOX: 'off' } })
  try {
    const bob = await newPerson(without.url, 'Bob')
    const answer = await bob.call<Problem>('POST', '/ai/caption/generate', { topic: 'Tea', language: 'Klingonese' })
    expect(answer.body).toMatchObject({ status: 503, code: 'ai_not_configured' })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    await without.stop()
    await bare.drop()
  }
})
