import { afterAll, beforeAll, expect, test } from 'vitest'
import { video } from '../test/video.ts'
import { addFaultTo, call, connect, live, startSandbox } from './testing.ts'

// Videos of a page: started, accepted piece by piece, finished, and shown once the network has processed them.

type Me = Awaited<ReturnType<typeof connect>>

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let clip: Buffer
let users = 300
beforeAll(async () => {
  sandbox = await startSandbox({ timeScale: 20 })
  clip = await video()
})
afterAll(() => sandbox.close())

const wait = (advanceMs: number) => call(`${sandbox.url}/clock`, { json: { advanceMs } })
const someone = () => connect(sandbox.url, `u${(users += 1)}`)

interface Begun {
  video_id: string
  upload_session_id: string
  start_offset: string
  end_offset: string
}
const begin = async (me: Me, size: number) => {
  const answer = await me.graph(`${me.page.id}/videos`, { json: { upload_phase: 'start', file_size: size } })
  return answer.body as unknown as Begun
}
function transfer(me: Me, { upload_session_id: session }: Begun, from: number, bytes: Buffer) {
  const body = new FormData()
  body.set('upload_phase', 'transfer')
  body.set('upload_session_id', session)
  body.set('start_offset', String(from))
  body.set('video_file_chunk', new Blob([new Uint8Array(bytes)]), 'piece')
  return me.graph(`${me.page.id}/videos`, { method: 'POST', body })
}
const finish = (me: Me, { upload_session_id: session }: Begun, description: string) =>
  me.graph(`${me.page.id}/videos`, { json: { upload_phase: 'finish', upload_session_id: session, description } })
const read = async (me: Me, id: string) =>
  (await me.graph(`${id}?fields=id,status,published,post_id,permalink_url`)).body as unknown as {
    published: boolean
    post_id?: string
    permalink_url?: string
    status: { video_status: string; publishing_phase: { status: string }; processing_phase: { errors?: unknown[] } }
  }
async function upload(me: Me, bytes: Buffer): Promise<Begun> {
  const begun = await begin(me, bytes.length)
  let [from, to] = [Number(begun.start_offset), Number(begun.end_offset)]
  while (from < to) {
    const { body } = await transfer(me, begun, from, bytes.subarray(from, to))
    ;[from, to] = [Number((body as unknown as Begun).start_offset), Number((body as unknown as Begun).end_offset)]
  }
  return begun
}

test('is accepted in the requested pieces, and is live once after it is finished and processed', async () => {
  const me = await someone()
  const long = Buffer.concat([clip, Buffer.alloc(5_000_000)])
  long.writeUInt32BE(5_000_000, clip.length)
  long.write('free', clip.length + 4)
  const begun = await begin(me, long.length)
  expect([begun.start_offset, begun.end_offset]).toEqual(['0', String(4 * 1024 * 1024)])
  expect((await finish(me, begun, 'too early')).body.error.code).toBe(6000)
  const wrong = await transfer(me, begun, 100, long.subarray(100, 200))
  expect(wrong.body.error).toMatchObject({ code: 100, error_subcode: 1363037 })
  const first = await transfer(me, begun, 0, long.subarray(0, 4 * 1024 * 1024))
  expect(first.body).toMatchObject({ start_offset: String(4 * 1024 * 1024), end_offset: String(long.length) })
  expect((await read(me, begun.video_id)).status.video_status).toBe('uploading')
  await transfer(me, begun, 4 * 1024 * 1024, long.subarray(4 * 1024 * 1024))
  expect((await read(me, begun.video_id)).status).toMatchObject({
    video_status: 'upload_complete',
    publishing_phase: { status: 'not_started' },
  })

  expect((await finish(me, begun, 'Watch this')).body).toEqual({ success: true })
  expect(await read(me, begun.video_id)).toMatchObject({ published: false, status: { video_status: 'processing' } })
  expect(await live(sandbox.url, me.page.id)).toEqual([])
  expect((await finish(me, begun, 'Watch this')).body.error.error_subcode).toBe(1363030)
  await wait(250)
  const [post] = await live(sandbox.url, me.page.id)
  expect(post).toMatchObject({ message: 'Watch this' })
  expect(await read(me, begun.video_id)).toMatchObject({
    published: true,
    post_id: post?.id,
    permalink_url: post?.permalink,
    status: { video_status: 'ready', publishing_phase: { status: 'complete' } },
  })
  const feed = await me.graph(`${me.page.id}/published_posts?fields=id,message,attachments{media_type,target{id}}`)
  expect(feed.body.data).toMatchObject([
    { message: 'Watch this', attachments: { data: [{ media_type: 'video', target: { id: begun.video_id } }] } },
  ])
  const page = await call(`${sandbox.url}/feed/${me.page.id}`)
  expect(page.text).toContain('<video src="/sandbox/media/')
})

test('that is finished many times concurrently becomes one post', async () => {
  const me = await someone()
  const begun = await upload(me, clip)
  const all = await Promise.all(Array.from({ length: 6 }, () => finish(me, begun, 'Once')))
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
  await wait(1_000)
  expect(await live(sandbox.url, me.page.id)).toHaveLength(1)
})

test('whose finish loses its answer after the effect is live nevertheless, even after a restart', async () => {
  const me = await someone()
  const begun = await upload(me, clip)
  await addFaultTo(sandbox.url, { match: { path: '/videos' }, do: { drop: 'after' }, times: 1 })
  await expect(finish(me, begun, 'Cut')).rejects.toThrow()
  await sandbox.restart()
  await wait(1_000)
  expect(await live(sandbox.url, me.page.id)).toMatchObject([{ message: 'Cut' }])
})

test('that is not a video is refused during processing, and never live', async () => {
  const me = await someone()
  const begun = await upload(me, Buffer.alloc(4000, 'x'))
  expect((await finish(me, begun, 'Noise')).status).toBe(200)
  await wait(1_000)
  expect(await read(me, begun.video_id)).toMatchObject({
    published: false,
    status: { video_status: 'error', processing_phase: { errors: [{ code: 1363024 }] } },
  })
  expect(await live(sandbox.url, me.page.id)).toEqual([])
})

test('belongs to its page: other pages can neither continue nor read it', async () => {
  const [me, other] = [await someone(), await someone()]
  const begun = await begin(me, clip.length)
  expect((await transfer(other, begun, 0, clip)).body.error.error_subcode).toBe(1363030)
  expect((await other.graph(begun.video_id)).body.error).toMatchObject({ code: 100, error_subcode: 33 })
})
