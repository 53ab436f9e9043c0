import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { useProduct } from '../../../test/fixtures.ts'
import { eventually, newPerson, type Person, type Problem } from '../../../test/world.ts'
import type { Post } from '../posts/api.ts'
import type { MediaFile } from './api.ts'
import { bytesAt, plain, sample, send, sendAndProcess, stored } from './testing.ts'

const { product, sql: client } = useProduct({ own: true })
let ann: Person

beforeAll(async () => {
  ann = await newPerson(product.url)
})

const jpeg = async (name = 'coffee.jpg', width = 400, height = 300) =>
  sample(name, 'image/jpeg', await plain(width, height).jpeg().toBuffer())

const usage = async (person: Person) => {
  const { rows } = await client.query<{ used: string; held: string }>(
    `select coalesce((select used from workspace_usage where workspace_id = $1 and quota_id = 'media_bytes'), 0) as used,
      (select coalesce(sum(amount), 0) from usage_hold where workspace_id = $1) as held`,
    [person.workspaceId],
  )
  return { used: Number(rows[0]!.used), held: Number(rows[0]!.held) }
}

/** Lists the stored files once no picture is being processed. */
const storedWhenQuiet = async () => {
  await eventually(async () => {
    const { rowCount } = await client.query(`select from media_file where state = 'PROCESSING'`)
    return rowCount === 0
  })
  return stored(product.dataDir)
}

const faults = (answer: { status: number; body: unknown }) => {
  const body = answer.body as Problem
  return [answer.status, body.code, ...(body.errors ?? []).map((fault) => `${fault.path} ${fault.code}`)]
}

const audits = async (person: Person, id: string) => {
  const { rows } = await client.query<{ action: string; actorId: string }>(
    `select action, actor_id as "actorId" from audit_entry where workspace_id = $1 and object ->> 'mediaFileId' = $2 order by id`,
    [person.workspaceId, id],
  )
  return rows
}

describe('reading and changing', () => {
  test('lists continue from their cursor, newest first, by name, alternative text, tag and kind', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const ids: string[] = []
    for (const name of ['one.jpg', 'two_%.jpg', 'three.jpg']) ids.push((await send(bob, await jpeg(name))).body.id)
    await bob.must('PATCH', `/media/${ids[0]}`, { altText: 'A Cup', tags: ['menu', 'spring'] })
    const list = (query: string) => bob.must<{ data: MediaFile[]; nextCursor: string | null }>('GET', `/media?${query}`)
    const first = await list('limit=2')
    expect(first.data.map((file) => file.id)).toEqual([ids[2], ids[1]])
    const rest = await list(`limit=2&cursor=${first.nextCursor}`)
    expect([rest.data.map((file) => file.id), rest.nextCursor]).toEqual([[ids[0]], null])
    const found = async (query: string) => (await list(query)).data.map((file) => file.fileName)
    expect(await found('text=cup')).toEqual(['one.jpg'])
    expect(await found('text=_%25')).toEqual(['two_%.jpg'])
    expect(await found('tag=spring')).toEqual(['one.jpg'])
    expect(await found('tag=spri')).toEqual([])
    expect(await found('kind=VIDEO')).toEqual([])
    expect((await found('kind=IMAGE')).length).toBe(3)
    expect(faults(await bob.call('GET', '/media?cursor=bm8'))).toEqual([422, 'validation_failed', '/cursor invalid'])
    expect(faults(await bob.call('GET', '/media?limit=101'))[0]).toBe(422)
  })

  test('a change raises the version, repeating it does not, and an old version is refused', async () => {
    const { id } = await sendAndProcess(ann, await jpeg())
    const changed = await ann.call<MediaFile>('PATCH', `/media/${id}`, { altText: 'A cup', tags: ['a', 'b', 'a'] })
    expect(changed.body).toMatchObject({ altText: 'A cup', tags: ['a', 'b'], version: 2 })
    expect(changed.headers.get('etag')).toBe('"2"')
    const same = await ann.must<MediaFile>('PATCH', `/media/${id}`, changed.body)
    expect(same).toEqual(changed.body)
    const stale = await ann.call<Problem>('PATCH', `/media/${id}`, { altText: 'x' }, { 'if-match': '"1"' })
    expect(stale.body).toMatchObject({ status: 412, code: 'stale_version', current: 2 })
    expect(faults(await ann.call('PATCH', `/media/${id}`, { width: 1, nonsense: 2 }))).toEqual([
      422,
      'validation_failed',
      '/nonsense unknown_field',
    ])
    expect(faults(await ann.call('PATCH', `/media/${id}`, { width: 1 }))).toEqual([
      422,
      'validation_failed',
      '/width read_only',
    ])
    expect(faults(await ann.call('PATCH', `/media/${id}`, { fileName: ' ' }))).toEqual([
      422,
      'validation_failed',
      '/fileName too_short',
    ])
    expect((await ann.must<MediaFile>('GET', `/media/${id}`)).altText).toBe('A cup')
  })

  test('a file of another workspace is indistinguishable from one that never existed', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const { id } = await sendAndProcess(ann, await jpeg())
    const nobody = '01900000-0000-7000-8000-000000000000'
    for (const [method, body] of [['GET'], ['PATCH', { altText: 'mine' }], ['DELETE']] as const) {
      const [theirs, none] = [
        await bob.call<Problem>(method, `/media/${id}`, body),
        await bob.call<Problem>(method, `/media/${nobody}`, body),
      ]
      expect(theirs.status).toBe(404)
      expect({ ...theirs.body, requestId: '' }).toEqual({ ...none.body, requestId: '' })
    }
    expect((await bob.must<{ data: MediaFile[] }>('GET', '/media')).data).toEqual([])
    expect((await ann.must<MediaFile>('GET', `/media/${id}`)).altText).toBe('')
  })
})

describe('deleting', () => {
  test('removes the bytes: the original, the served copy, the thumbnail', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const before = await storedWhenQuiet()
    const file = await sendAndProcess(bob, await jpeg())
    expect((await stored(product.dataDir)).length).toBe(before.length + 3)
    expect(faults(await bob.call('DELETE', `/media/${file.id}`, undefined, { 'if-match': '"9"' }))).toEqual([
      412,
      'stale_version',
    ])
    expect((await bob.call('DELETE', `/media/${file.id}`)).status).toBe(204)
    expect((await bob.call('GET', `/media/${file.id}`)).status).toBe(404)
    await eventually(async () => JSON.stringify(await stored(product.dataDir)) === JSON.stringify(before))
    expect((await fetch(file.storageUrl!)).status).toBe(404)
    expect((await audits(bob, file.id)).map((entry) => entry.action)).toEqual(['media.uploaded', 'media.deleted'])
  })

  test('is refused while an unpublished post uses the file', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const { id } = await sendAndProcess(bob, await jpeg())
    const post = await bob.must<Post>('POST', '/posts', { caption: 'a', media: [id] })
    for (const status of ['DRAFT', 'SCHEDULED', 'PUBLISHING', 'FAILED', 'PARTIALLY_PUBLISHED']) {
      await client.query(`update post set status = $2, scheduled_at = now() + interval '1 day' where id = $1`, [
        post.id,
        status,
      ])
      const answer = await bob.call<Problem>('DELETE', `/media/${id}`)
      expect(answer.body).toMatchObject({ status: 409, code: 'media_in_use', count: 1 })
    }
    expect((await bob.must<MediaFile>('GET', `/media/${id}`)).state).toBe('READY')
  })

  test.each(['published', 'deleted'])(
    'a file that only %s posts use removes bytes and frees quota, and keeps the record of the post',
    async (how) => {
      const bob = await newPerson(product.url, 'Bob')
      const file = await sendAndProcess(bob, await jpeg())
      const post = await bob.must<Post>('POST', '/posts', { caption: 'a', media: [file.id] })
      if (how === 'deleted') await bob.must('DELETE', `/posts/${post.id}`)
      else await client.query(`update post set status = 'PUBLISHED', published_at = now() where id = $1`, [post.id])
      expect((await bob.call('DELETE', `/media/${file.id}`)).status).toBe(204)
      expect((await bob.call('GET', `/media/${file.id}`)).status).toBe(404)
      expect((await bob.call('DELETE', `/media/${file.id}`)).status).toBe(404)
      expect((await bob.must<{ data: MediaFile[] }>('GET', '/media')).data).toEqual([])
      expect((await usage(bob)).used).toBe(0)
      await eventually(async () => (await fetch(file.storageUrl!)).status === 404)
      const shown =
        how === 'deleted'
          ? await bob.must<Post>('POST', `/posts/${post.id}/restore`)
          : await bob.must<Post>('GET', `/posts/${post.id}`)
      const said = { rejectedCode: 'deleted', rejectedReason: 'The file was deleted.' }
      const gone = { fileName: 'coffee.jpg', state: 'REJECTED', ...said, storageUrl: null }
      expect(shown.media).toMatchObject([{ mediaFileId: file.id, file: gone }])
      // No other post can use the file; the post that shows it can still be edited.
      expect(faults(await bob.call('POST', '/posts', { caption: 'b', media: [file.id] }))).toEqual([
        422,
        'validation_failed',
        '/media/0 unknown_id',
      ])
      if (how === 'deleted') {
        await bob.must('PATCH', `/posts/${post.id}`, { caption: 'c', media: [file.id] })
      }
    },
  )
})

describe('a served file', () => {
  test('has headers that let it be only a picture, cached forever', async () => {
    const file = await sendAndProcess(ann, await jpeg())
    const response = await fetch(file.storageUrl!)
    const { origin } = new URL(file.storageUrl!)
    expect(origin).toBe(product.url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(file.fileSize),
      'cache-control': 'public, max-age=31536000, immutable',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline',
      'cross-origin-resource-policy': 'cross-origin',
    })
    const etag = response.headers.get('etag')!
    const again = await fetch(file.storageUrl!, { headers: { 'if-none-match': `"x", ${etag}` } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const asked = await fetch(file.storageUrl!, { method: 'HEAD' })
    expect([asked.status, asked.headers.get('content-length'), asked.headers.get('etag')]).toEqual([
      200,
      String(file.fileSize),
      etag,
    ])
  })

  test('can be requested in ranges', async () => {
    const file = await sendAndProcess(ann, await jpeg())
    const whole = await bytesAt(file.storageUrl!)
    const part = async (range: string, more: Record<string, string> = {}) => {
      const response = await fetch(file.storageUrl!, { headers: { range, ...more } })
      return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer())]
    }
    const size = whole.length
    expect(await part('bytes=0-9')).toEqual([206, `bytes 0-9/${size}`, whole.subarray(0, 10)])
    expect(await part('bytes=10-')).toEqual([206, `bytes 10-${size - 1}/${size}`, whole.subarray(10)])
    expect(await part('bytes=-10')).toEqual([206, `bytes ${size - 10}-${size - 1}/${size}`, whole.subarray(size - 10)])
    expect(await part(`bytes=5-${size * 2}`)).toEqual([206, `bytes 5-${size - 1}/${size}`, whole.subarray(5)])
    expect(await part(`bytes=-${size * 2}`)).toEqual([206, `bytes 0-${size - 1}/${size}`, whole])
    expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
    for (const ignored of ['bytes=9-1', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=-'])
      expect((await part(ignored))[0]).toBe(200)
    expect((await part('bytes=0-9', { 'if-range': '"another"' }))[0]).toBe(200)
  })

  test('is never the original, nor anything without an address', async () => {
    const file = await sendAndProcess(ann, await jpeg())
    const { rows } = await client.query<{ key: string }>('select original_key as key from media_file where id = $1', [
      file.id,
    ])
    const { key } = rows[0]!
    const kept = await readFile(join(product.dataDir, 'media', key.slice(0, 2), key))
    expect(kept.length).toBe(file.fileSize)
    const guess = createHash('sha256').update('x').digest('base64url')
    for (const path of [key, `${key}.jpg`, `${guess}.jpg`, `${guess}.html`, '..%2Fsecrets.json', `..%2F${key}`, 'x']) {
      expect((await fetch(`${product.url}/files/${path}`)).status).toBe(404)
    }
    expect(JSON.stringify(file)).not.toContain(key)
  })
})

describe('use of files', () => {
  test('each file has its number of posts, without deleted ones; unused and undescribed files can be listed', async () => {
    const bob = await newPerson(product.url, 'Bob')
    const [cup, mug] = [
      await sendAndProcess(bob, await jpeg('cup.jpg')),
      await sendAndProcess(bob, await jpeg('mug.jpg')),
    ]
    await bob.must('PATCH', `/media/${cup.id}`, { altText: 'A cup' })
    const posts: string[] = []
    for (const caption of ['One', 'Two', 'Three'])
      posts.push((await bob.must<Post>('POST', '/posts', { caption, media: [cup.id] })).id)
    await bob.must('DELETE', `/posts/${posts[2]}`)
    const names = async (query: string) =>
      (await bob.must<{ data: MediaFile[] }>('GET', `/media?${query}`)).data.map(({ fileName, uses }) => [
        fileName,
        uses,
      ])
    expect(await names('')).toEqual([
      ['mug.jpg', 0],
      ['cup.jpg', 2],
    ])
    expect(await names('used=false')).toEqual([['mug.jpg', 0]])
    expect(await names('used=true')).toEqual([['cup.jpg', 2]])
    expect(await names('described=false')).toEqual([['mug.jpg', 0]])
    expect(await names('described=true')).toEqual([['cup.jpg', 2]])
    const using = await bob.must<{ data: Post[] }>('GET', `/posts?mediaFileId=${cup.id}`)
    expect(using.data.map(({ id }) => id)).toEqual([posts[1], posts[0]])
    expect((await bob.must<{ data: Post[] }>('GET', `/posts?mediaFileId=${mug.id}`)).data).toEqual([])
  })

  test('use is counted by the index of post media, without reading all of it', async () => {
    await client.query('analyze')
    await client.query('set enable_seqscan = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select f.id, (select count(*) from post_media m join post p on p.workspace_id = m.workspace_id and p.id = m.post_id
        where m.workspace_id = f.workspace_id and m.media_file_id = f.id and p.deleted_at is null)
       from media_file f where f.workspace_id = $1 order by f.id desc limit 25`,
      [ann.workspaceId],
    )
    await client.query('reset enable_seqscan')
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index (Only )?Scan.* on post_media m/)
  })
})
