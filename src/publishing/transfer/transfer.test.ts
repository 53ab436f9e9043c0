import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SocialAccount } from '../../channels/api.ts'
import { useProduct } from '../../../test/fixtures.ts'
import {
  asPerson,
  connect,
  connectPages,
  newPerson,
  type Person,
  picture,
  type Problem,
  uploadPicture,
} from '../../../test/world.ts'
import { createClock } from '../../core/platform/clock.ts'
import { openPool } from '../../core/platform/db.ts'
import { createLog } from '../../core/platform/log.ts'
import { createScopes, type Scope } from '../../core/platform/scope.ts'
import { createNetworks } from '../../networks/registry.ts'
import type { Ports } from '../../services.ts'
import type { Post } from '../posts/api.ts'
import type { RowVerdict, Verdicts } from './api.ts'
import { excessOf } from './table-limits.ts'
import { importPosts, readTable } from './transfer.ts'
import { subscribers } from '../../subscribers.ts'

const { product, sql, database } = useProduct()

let people = 0
async function withAccounts(): Promise<{ ann: Person; pages: SocialAccount[]; photo: SocialAccount }> {
  const ann = await newPerson(product.url)
  const user = `u${900 + (people += 1)}`
  const pages = await connectPages(ann, user)
  const [photo] = await connect(ann, 'NET_PHOTO', user)
  return { ann, pages, photo: photo! }
}

const ask = (person: Person, body: object) => person.call<Verdicts & Problem>('POST', '/posts/import', body)
const posts = async (person: Person, search = '') =>
  (await person.must<{ data: Post[] }>('GET', `/posts?limit=100${search}`)).data
const table = (...lines: string[]) => lines.join('\n')
const faultsOf = ({ faults }: RowVerdict) => faults.map(({ column, code }) => [column, code])

/** Returns how many turns of the event loop other work gets while `work` runs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let waiting = setImmediate(function turn() {
    turns += 1
    waiting = setImmediate(turn)
  })
  await work()
  clearImmediate(waiting)
  return turns
}

/**
 * Returns the share of the CPU time of `work` that passes in its longest turn of the event loop. The best of three runs
 * counts, since other work can make a turn longer.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const shares: number[] = []
  while (shares.length < 3) shares.push(await longestTurnOnce(work))
  return Math.min(...shares)
}

async function longestTurnOnce(work: () => Promise<unknown>): Promise<number> {
  const computed = () => process.cpuUsage().user
  const began = computed()
  let [last, longest] = [began, 0]
  const turn = () => {
    longest = Math.max(longest, computed() - last)
    last = computed()
  }
  let waiting = setImmediate(function next() {
    turn()
    waiting = setImmediate(next)
  })
  await work()
  turn()
  clearImmediate(waiting)
  return longest / (last - began)
}

const NEXT_YEAR = new Date().getUTCFullYear() + 1

describe('a table', () => {
  let zoe: Person
  beforeAll(async () => {
    zoe = await newPerson(product.url, 'Zoe')
  })

  test('gets a verdict for each line, and nothing is saved until asked', async () => {
    const { ann, pages } = await withAccounts()
    const csv = table(
      'Caption,Scheduled at,Accounts,Action,Colour',
      `Good,${NEXT_YEAR}-03-01 09:30,${pages[0]!.id},,blue`,
      `,${NEXT_YEAR}-03-01 09:30,${pages[0]!.name},,`,
      `Late,2020-01-01 09:30,${pages[0]!.name},,`,
      'Nowhere,tomorrow,Somebody else,,',
      `Idea,,,draft,`,
      `Wild,,${pages[0]!.name},dance,`,
      '',
      'a text, without quotation marks, and then, on, and on, for ever',
    )
    const { status, body } = await ask(ann, { csv })
    expect(status).toBe(200)
    expect(body).toMatchObject({ saved: false, timezone: 'Europe/Berlin', unknownColumns: ['Colour'] })
    expect(body.rows.map(({ line, verdict, action }) => [line, verdict, action])).toEqual([
      [2, 'ok', 'schedule'],
      [3, 'error', 'schedule'],
      [4, 'error', 'schedule'],
      [5, 'error', 'draft'],
      [6, expect.stringMatching(/ok|warning/), 'draft'],
      [7, 'error', 'draft'],
      [9, 'error', 'draft'],
    ])
    expect(body.rows[0]).toMatchObject({ scheduledAt: `${NEXT_YEAR}-03-01T08:30:00.000Z`, platforms: ['NET_PAGE'] })
    expect(faultsOf(body.rows[2]!)).toEqual([['scheduled at', 'in_the_past']])
    expect(faultsOf(body.rows[3]!)).toEqual([
      ['scheduled at', 'invalid_time'],
      ['accounts', 'unknown_account'],
    ])
    expect(faultsOf(body.rows[5]!)).toEqual([['action', 'invalid']])
    expect(faultsOf(body.rows[6]!)).toContainEqual([null, 'too_many_cells'])
    expect(await posts(ann)).toEqual([])
  })

  test('names networks as the screens do, and faults say what would fit', async () => {
    const { ann, pages } = await withAccounts()
    const csv = [
      'caption,scheduled at,accounts,networks,media,Facebook options',
      'One,2090-01-01 09:00,,facebook page; TikTok,,',
      'Two,2090-01-01 09:00,,Myspace,,',
      `Three,2090-01-01 09:00,Facebook: ${pages[0]!.name},,,"{""kind"": ""x""}"`,
      `Four,,NET_PAGE: ${pages[0]!.name},,,"{""foo"": 1}"`,
      `Five,,facebook: ${pages[0]!.name},,,`,
      `Six,,${pages[0]!.name},,a.jpg [NET_FOO],`,
      `Seven,,${pages[0]!.name},,,3`,
      `Eight,,${pages[0]!.name},,"b.jpg [Facebook, NET_PHOTO NET_VIDEO]",`,
      `Nine,,${pages[0]!.name},,"c.jpg [,]",`,
    ].join('\n')
    const { status, body } = await ask(ann, { csv })
    expect([status, body.unknownColumns]).toEqual([200, []])
    expect(body.rows.map(({ faults }) => faults.map(({ column, code, value }) => [column, code, value]))).toEqual([
      [['networks', 'ambiguous_target', 'Facebook']],
      [['networks', 'invalid', 'Myspace']],
      [['NET_PAGE options', 'invalid', 'kind (post, reel)']],
      [['NET_PAGE options', 'invalid', 'foo']],
      [],
      [
        ['media', 'invalid', 'NET_FOO'],
        ['media', 'unknown_file', 'a.jpg'],
      ],
      [['NET_PAGE options', 'invalid', 'JSON']],
      [['media', 'unknown_file', 'b.jpg']],
      [['media', 'unknown_file', 'c.jpg [,]']],
    ])
    // A fault of one cell does not hide the rest of its line.
    expect(body.rows[1]).toMatchObject({ action: 'schedule', scheduledAt: expect.stringMatching(/^2090/) as string })
    const said = body.rows.flatMap(({ faults }) => faults.map(({ message }) => message)).join('\n')
    expect(said).not.toMatch(/Invalid|Unrecognized|expected|in targets|NET_PAGE account/)
    const { body: broken } = await ask(ann, { csv: 'caption,cta\nOne,a "b" c\n' })
    expect(broken.errors?.[0]).toMatchObject({ code: 'not_csv', message: expect.stringContaining('line 2') as string })
  })

  test('is saved whole or not at all, or only the named lines; each post is one unit of the quota', async () => {
    const { ann, pages } = await withAccounts()
    const csv = table(
      'caption;accounts;action',
      `One;${pages[0]!.id};draft`,
      `Two;nobody;draft`,
      `Three;${pages[0]!.id};draft`,
    )
    const used = async () => {
      const { data } = await ann.must<{ data: { quota: string; used: number }[] }>('GET', '/billing/usage')
      return data.find(({ quota }) => quota === 'posts')?.used
    }
    const refused = await ask(ann, { csv, save: true })
    expect([refused.status, refused.body.errors?.map(({ path, code }) => [path, code])]).toEqual([
      422,
      [['/lines/3/accounts', 'unknown_account']],
    ])
    expect([await posts(ann), await used()]).toEqual([[], 0])
    expect((await ask(ann, { csv, save: true, lines: [2, 9] })).body.errors?.[0]).toMatchObject({
      code: 'unknown_line',
    })

    const saved = await ask(ann, { csv, save: true, lines: [2, 4] })
    expect([saved.status, saved.body.saved]).toEqual([201, true])
    const ids = saved.body.rows.map(({ postId }) => postId)
    expect(ids).toEqual([expect.any(String), null, expect.any(String)])
    expect((await posts(ann)).map(({ id, caption }) => [id, caption])).toEqual([
      [ids[2], 'Three'],
      [ids[0], 'One'],
    ])
    expect(await used()).toBe(2)
  })

  test('beyond the quota saves nothing', async () => {
    const { ann } = await withAccounts()
    await ann.must('PUT', '/billing/subscription', { plan: 'free' })
    const csv = table('caption', ...Array.from({ length: 31 }, (_, i) => `Post ${i}`))
    const { status, body } = await ask(ann, { csv, save: true })
    expect([status, body.code]).toEqual([402, 'quota_exceeded'])
    expect(await posts(ann)).toEqual([])
  })

  test('sent twice with the same key is saved once', async () => {
    const { ann } = await withAccounts()
    const body = { csv: table('caption', 'Once'), save: true }
    const key = { 'idempotency-key': `table-${ann.workspaceId}` }
    const first = await ann.call<Verdicts>('POST', '/posts/import', body, key)
    const again = await ann.call<Verdicts>('POST', '/posts/import', body, key)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.body.rows[0]!.postId).toBe(first.body.rows[0]!.postId)
    expect(await posts(ann)).toHaveLength(1)
  })

  test('a wall time that clocks skip or show twice is a fault, unless it has its offset', async () => {
    const { ann, pages } = await withAccounts()
    const at = (time: string, zone = '') => `x ${time} ${zone},${time},${zone},${pages[0]!.id}`
    const csv = table(
      'caption,scheduled at,time zone,accounts',
      at('2027-03-28 02:30', 'Europe/Berlin'),
      at('2027-10-31 02:30', 'Europe/Berlin'),
      at('2027-10-31T02:30+01:00'),
      at('2027-10-31 02:30', 'Asia/Kolkata'),
      at('2027-10-31 02:30', 'Mars/Base'),
    )
    const { body } = await ask(ann, { csv, timezone: 'America/New_York' })
    expect(body.rows.map((row) => [row.scheduledAt, ...faultsOf(row)])).toEqual([
      [null, ['scheduled at', 'time_skipped']],
      [null, ['scheduled at', 'time_twice']],
      ['2027-10-31T01:30:00.000Z'],
      ['2027-10-30T21:00:00.000Z'],
      [null, ['time zone', 'unknown_zone']],
    ])
  })

  test('cannot refer to accounts and files of another workspace, by name or by id', async () => {
    const { ann } = await withAccounts()
    const { ann: bob, pages } = await withAccounts()
    const file = await uploadPicture(bob, await picture(400, 400), 'bob.jpg')
    const line = (account: string, media: string) => `x,${account},${media}`
    const csv = table('caption,accounts,media', line(pages[0]!.id, file.id), line(pages[0]!.name, 'bob.jpg'))
    const { body } = await ask(ann, { csv })
    const unknown = [
      ['accounts', 'unknown_account'],
      ['media', 'unknown_file'],
    ]
    expect(body.rows.map(faultsOf)).toEqual([unknown, unknown])
  })

  test('with the same text for the same account in two lines gets a warning', async () => {
    const { ann, pages } = await withAccounts()
    const csv = table(
      'caption,accounts',
      `Same,${pages[0]!.id}`,
      `Other,${pages[0]!.id}`,
      `Same,${pages[0]!.id}`,
      `Same,${pages[1]!.id}`,
    )
    const { body } = await ask(ann, { csv })
    expect(body.rows.map(({ warnings }) => warnings.map(({ code }) => code))).toEqual([[], [], ['same_in_table'], []])
  })

  test.each([
    ['"never closed', 'not_csv'],
    ['colour,shape\nblue,round', 'no_heading'],
    ['caption,Caption\na,b', 'duplicate'],
    ['caption\n\n', 'only_heading'],
    [`caption\n${'x\n'.repeat(501)}`, 'too_many_rows'],
    [`caption${','.repeat(300_000)}\n${'\n'.repeat(300_000)}x`, 'too_many_columns'],
    [`caption\nx${','.repeat(300_000)}`, 'too_many_columns'],
    [`caption\n${`${','.repeat(150)}\n`.repeat(1_000)}`, 'too_many_cells'],
    [`caption\n"${'x'.repeat(130_000)}"`, 'too_long'],
    [`caption\n${'\n'.repeat(900)}`, 'only_heading'],
    [`caption\n${'\n'.repeat(9_000)}`, 'too_many_lines'],
    [`caption,b,c\n${'a,b,c\n'.repeat(9_990)}`, 'too_many_rows'],
    [`caption\n${'\n'.repeat(400_000)}`, 'too_many_lines'],
    [`caption\n${'"a",\n'.repeat(100_000)}`, 'too_many_rows'],
  ])('that is not a table of posts is refused: %#', async (csv, code) => {
    const { status, body } = await ask(zoe, { csv })
    expect([status, body.errors?.map((each) => each.code)]).toEqual([422, [code]])
  })

  test('is read in full, also if characters have several bytes', async () => {
    const caption = `x${'😀'.repeat(20_000)}`
    expect((await readTable(`caption\n${caption}`)).rows.map(({ cells }) => cells['caption'])).toEqual([caption])
  })

  test('of the largest size is parsed in pieces, with turns for other work between them', async () => {
    const wide = `caption${','.repeat(98)}\n${`x${','.repeat(98)}${'y'.repeat(1_600)}\n`.repeat(500)}`
    // The same number of cells in a twentieth of the bytes, with the maximum number of lines.
    const dense = `caption${','.repeat(49)}\n${`x${','.repeat(49)}\n`.repeat(500)}${`${','.repeat(49)}\n`.repeat(480)}`
    for (const [csv, least] of [
      [wide, 98],
      [dense, 98],
    ] as const) {
      let rows = 0
      const turns = await turnsDuring(async () => (rows = (await readTable(csv)).rows.length))
      expect([rows, turns >= least || turns]).toEqual([500, true])
    }
  })

  test('is counted with turns for other work, also if it is then refused', async () => {
    const line = `${'x'.repeat(19)},`.repeat(99)
    const turns = await turnsDuring(async () => {
      const table = `caption${',a'.repeat(99)}\n${`${line}\n`.repeat(499)}`
      expect(await excessOf(table, ',')).toBe('cells')
    })
    expect(turns).toBeGreaterThan(10)
  })

  describe('read in this process', () => {
    let pool: ReturnType<typeof openPool>
    beforeAll(() => {
      pool = openPool(database.url, 2, () => {})
    })
    afterAll(() => pool?.end())
    const scopeOf = ({ workspaceId }: Person) => {
      const parts = { pool, log: createLog('silent'), clock: createClock(), events: { publish() {} }, subscribers }
      return createScopes(parts).scope(workspaceId, { kind: 'system', name: 'import' })
    }
    const settings = { filesUrl: () => 'http://files.test', publicMedia: () => true } as unknown as Ports['settings']
    const ports = { networks: createNetworks([]), settings }
    // The good line opens the transaction.
    const faulty = `caption,action,scheduled at,accounts\nOne,draft,,\n${'a,b,c,d\n'.repeat(499)}`
    const faults = async () => {
      const { rows } = await importPosts(scopeOf(zoe), ports, { csv: faulty }, 'OWNER')
      return rows.filter(({ verdict }) => verdict === 'error').length
    }

    test('leaves turns for other work between its lines, however many faults it has', async () => {
      // All lines in one turn would take about 0.4.
      expect(await longestTurn(async () => expect(await faults()).toBe(499))).toBeLessThan(0.25)
    })

    test('waits for no other work while it holds a transaction', async () => {
      // With a turn for each line, the database would end the idle transaction after 5 s.
      let other = setImmediate(function work() {
        for (const end = performance.now() + 20; performance.now() < end;);
        other = setImmediate(work)
      })
      try {
        expect(await faults()).toBe(499)
      } finally {
        clearImmediate(other)
      }
    })

    test('has a fault for a file that is deleted after its name was read', async () => {
      const { ann } = await withAccounts()
      const file = await uploadPicture(ann, await picture(400, 400), 'gone.jpg')
      const scope = scopeOf(ann)
      const reading = scope.beforeLast()
      const late: Scope = {
        ...scope,
        beforeLast: () => ({
          ...reading,
          transaction: async (work, options) => {
            const known = await reading.transaction(work, options)
            await ann.must('DELETE', `/media/${file.id}`)
            return known
          },
        }),
      }
      const csv = 'caption,media\nOne,gone.jpg'
      await expect(importPosts(late, ports, { csv, save: true }, 'OWNER')).rejects.toMatchObject({
        more: { errors: [{ path: '/lines/2/media', code: 'unknown_id' }] },
      })
      expect(await posts(ann)).toEqual([])
    })
  })

  test('that names a file twice in its last line has a fault for it', async () => {
    const { ann } = await withAccounts()
    await uploadPicture(ann, await picture(400, 400), 'one.jpg')
    const { status, body } = await ask(ann, { csv: table('caption,media', 'x,one.jpg', 'x,one.jpg | One.jpg') })
    expect([status, body.rows?.map(faultsOf)]).toEqual([200, [[], [['media', 'duplicate']]]])
  })

  test.each(['accounts', 'networks', 'media', 'labels'])(
    'with 59,000 names in a cell has one fault for them: %s',
    async (column) => {
      const { status, body } = await ask(zoe, {
        csv: `caption,${column}\nOne,${'a|'.repeat(59_000)}\nTwo,${'a|'.repeat(49)}a`,
      })
      const [many, most] = body.rows.map(faultsOf)
      expect([status, many]).toEqual([200, [[column, 'too_many']]])
      // A line reports its first 20 faults.
      expect(most!.length).toBe(20)
      expect(most!.every(([, code]) => code !== 'too_many')).toBe(true)
    },
  )

  test('with 59,000 hashtags in a cell is refused', async () => {
    const { status, body } = await ask(zoe, { csv: `caption,hashtags\nOne,${'a '.repeat(59_000)}` })
    expect([status, faultsOf(body.rows[0]!)]).toEqual([200, [['hashtags', 'invalid']]])
  })

  test('with too many lines is refused in the same turn, however small they are', async () => {
    const cells = 'a,b,c,d,e,f,g,h,i,j\n'
    const turns = await turnsDuring(() =>
      expect(readTable(`caption,${cells}${cells.repeat(9_990)}`)).rejects.toMatchObject({
        more: { errors: [{ code: 'too_many_rows', limit: 500 }] },
      }),
    )
    expect(turns).toBeLessThan(2)
  })

  test('is refused with a time to retry while the workspace has too many tables waiting', async () => {
    const { ann } = await withAccounts()
    const csv = `caption\n${'x\n'.repeat(400)}`
    const answers = await Promise.all(Array.from({ length: 15 }, () => ask(ann, { csv })))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers } of refused)
      expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '2'])
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4)
  })

  test('with long runs of spaces in a cell is read quickly', async () => {
    const { ann } = await withAccounts()
    const csv = table('caption,media,accounts', `Wide,"a${' '.repeat(100_000)}b","c${' '.repeat(100_000)}d"`)
    const started = performance.now()
    const { body } = await ask(ann, { csv })
    expect(body.rows[0]!.verdict).toBe('error')
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('tells an EDITOR about required approval for each line', async () => {
    const { ann, pages } = await withAccounts()
    await ann.must('PATCH', `/workspaces/${ann.workspaceId}`, { approvalMode: 'required' })
    const { session } = await newPerson(product.url, 'Eve')
    const role = [ann.workspaceId, session.user.id]
    await sql.query(`insert into member (workspace_id, user_id, role) values ($1, $2, 'EDITOR')`, role)
    const eve = asPerson(product.url, session, ann.workspaceId)
    const csv = table(
      'caption,scheduled at,accounts,action',
      `Mine,${NEXT_YEAR}-03-01 09:30,${pages[0]!.id},`,
      `Asked for,${NEXT_YEAR}-03-01 10:30,${pages[0]!.id},submit`,
    )
    const { body } = await ask(eve, { csv })
    expect(body.rows.map(faultsOf)).toEqual([[['action', 'role_required']], []])
    await eve.must('POST', '/posts/import', { csv, save: true, lines: [3] })
    expect((await posts(ann))[0]).toMatchObject({ status: 'DRAFT', approval: { state: 'PENDING' } })
    expect((await ask(ann, { csv })).body.rows[0]!.faults).toEqual([])
  })
})

describe('an export', () => {
  test('can be imported to the same posts, and has no cell that is a formula', async () => {
    const { ann, pages, photo } = await withAccounts()
    const one = await uploadPicture(ann, await picture(400, 400), 'one.jpg')
    const two = await uploadPicture(ann, await picture(500, 500), 'same.jpg')
    const three = await uploadPicture(ann, await picture(500, 400), 'menu, final [Facebook]')
    await uploadPicture(ann, await picture(600, 600), 'same.jpg')
    const named = ['North | South\nand more', ' Cafe of the  north ']
    for (const [index, name] of named.entries())
      await sql.query('update social_account set name = $1 where id = $2', [name, pages[index]!.id])
    const label = await ann.must<{ id: string }>('POST', '/labels', { name: 'Spring | Summer', color: 'blue' })
    const written = [
      {
        caption: '=SUM(A1) is text, "quoted"\nin two lines; with | and ,',
        hashtags: ['#coffee', 'قهوة', 'two words', 'a,b; "c"', '"quoted"', 'mid"dle'],
        cta: '+49 30 123',
        captionOverrides: { NET_PHOTO: { caption: '', cta: '@us' } },
        hashtagOverrides: { NET_PHOTO: [], NET_PAGE: ['cold brew', 'tea'] },
        linkTags: { on: false, campaign: 'spring | {network}' },
        labels: [label.id],
        platformOptions: { NET_PHOTO: { firstComment: 'More below' } },
        targets: [pages[0]!.id, pages[1]!.id, photo.id],
        media: [
          {
            mediaFileId: one.id,
            platforms: ['NET_PAGE', 'NET_PHOTO'],
            crops: { NET_PHOTO: { x: 10, y: 20, width: 320, height: 320 } },
          },
          { mediaFileId: two.id, platforms: ['NET_PAGE'] },
          { mediaFileId: three.id, platforms: ['NET_PHOTO'] },
        ],
        scheduledAt: `${NEXT_YEAR}-05-01T10:00:00.000Z`,
      },
      { caption: '-- a draft', action: 'draft', linkTags: { on: true } },
      { caption: "'=is no formula", action: 'draft', linkTags: { campaign: 'autumn' } },
    ]
    for (const body of written) await ann.must('POST', '/posts', body)
    const answer = await ann.call<string>('GET', '/posts/export')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.body).not.toMatch(/(^|,)"?[=+\-@]/m)

    const before = await posts(ann)
    for (const { id, version } of before)
      await ann.must('DELETE', `/posts/${id}`, undefined, { 'if-match': `"${version}"` })
    const { status, body } = await ask(ann, { csv: answer.body, save: true })
    expect([status, body.errors, body.unknownColumns]).toEqual([201, undefined, []])
    const after = await posts(ann)
    const told = (all: Post[]) =>
      all
        .map(
          ({
            caption,
            hashtags,
            cta,
            captionOverrides,
            hashtagOverrides,
            platformOptions,
            linkTags,
            labels,
            targets,
            media,
            status: state,
            scheduledAt,
          }) => ({
            caption,
            hashtags,
            cta,
            captionOverrides,
            hashtagOverrides,
            platformOptions,
            linkTags,
            labels: labels.map(({ name }) => name),
            targets,
            state,
            scheduledAt,
            media: media.map(({ mediaFileId, platforms, crops }) => [mediaFileId, platforms, crops]),
          }),
        )
        .toSorted((a, b) => a.caption.localeCompare(b.caption))
    expect(told(after)).toEqual(told(before))
    expect(after).toHaveLength(3)
  })

  test('has the posts that the filters match, and none of another workspace', async () => {
    const { ann } = await withAccounts()
    const { ann: bob } = await withAccounts()
    await bob.must('POST', '/posts', { caption: 'Bob only' })
    for (let i = 0; i < 3; i += 1) await ann.must('POST', '/posts', { caption: `Ann ${i}` })
    const { body } = await ann.call<string>('GET', '/posts/export?text=Ann 1')
    expect(body.split('\n').filter((line) => line.includes('Ann'))).toHaveLength(1)
    expect((await ann.call<string>('GET', '/posts/export')).body).not.toContain('Bob')
  })
})
