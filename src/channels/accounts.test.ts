import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useProduct } from '../../test/fixtures.ts'
import { sized } from '../../test/tier.ts'
import {
  addFault,
  type Answer,
  call,
  connect,
  connectPages,
  eventually,
  newPerson,
  type Person,
  type Problem,
  untilStatus,
  untilWaitedFor,
} from '../../test/world.ts'
import type { Check, Post } from '../publishing/posts/api.ts'
import type { SocialAccount } from './api.ts'

const { product, sql } = useProduct({ env: { DEFAULT_PLAN: 'free' }, own: true })
let sandbox: string
let ann: Person
let bea: Person
/** A sandbox person for this test alone, with two pages. */
let network: string
let people = 100

beforeAll(async () => {
  sandbox = `${product.url}/sandbox`
})

beforeEach(async () => {
  await call(sandbox, 'DELETE', '/faults')
  ann = await newPerson(product.url)
  bea = await newPerson(product.url, 'Bea')
  network = `u${(people += 1)}`
})

interface Started {
  consentUrl: string
  state: string
  /** The browser's cookie. */
  cookie: string
}

const START = '/api/v1/auth/oauth/NET_PAGE'
const JSON_PLEASE = { accept: 'application/json' }

async function start(person = ann, redirect = '/app/accounts'): Promise<Started> {
  const path = `${START}?redirect=${encodeURIComponent(redirect)}`
  const answer = await person.call<{ authorizationUrl: string }>('GET', path, undefined, JSON_PLEASE)
  expect(answer.status).toBe(200)
  const consentUrl = answer.body.authorizationUrl
  return {
    consentUrl,
    state: new URL(consentUrl).searchParams.get('state') ?? '',
    cookie: answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '',
  }
}

/** Approves everything, and returns the path to which the consent page sends the browser back. */
async function approve({ consentUrl }: Started): Promise<string> {
  const answer = await fetch(`${consentUrl}&sandbox_approve=1&sandbox_user=${network}`, { redirect: 'manual' })
  return wayBack(answer)
}

/** Does the same through the form, as a person would: with these pages and permissions, or with a refusal. */
async function decide({ consentUrl }: Started, form: [string, string][]): Promise<string> {
  const answer = await fetch(`${consentUrl}&sandbox_user=${network}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: product.url },
    body: new URLSearchParams(form),
  })
  return wayBack(answer)
}

function wayBack(answer: Response): string {
  const { pathname, search } = new URL(answer.headers.get('location') ?? '')
  return pathname + search
}

/** Where a browser with this cookie ends after its return. */
async function comeBack(path: string, cookie: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await call(product.url, 'GET', path, undefined, { ...(cookie && { cookie }), ...headers })
  expect(answer.status).toBe(302)
  return answer.headers.get('location') ?? ''
}

const accounts = async (person = ann, status = '') =>
  (await person.must<{ data: SocialAccount[] }>('GET', `/social-accounts?${status && `status=${status}`}`)).data
const refusedWith = (state: string, error = 'access_denied') => `${START}/callback?state=${state}&error=${error}`
const told = (answer: Answer<Problem>) => [answer.status, answer.body.code]
const faults = (answer: Answer<Problem>) => answer.body.errors?.map(({ path, code }) => `${path} ${code}`)
const roleOfAnn = (role: string) =>
  sql.query('update member set role = $2 where user_id = $1', [ann.session.user.id, role])
const usedUp = async () => {
  const { rows } = await sql.query<{ used: string }>(
    `select used from workspace_usage where workspace_id = $1 and quota_id = 'social_accounts'`,
    [ann.workspaceId],
  )
  return Number(rows[0]?.used)
}

describe('connecting', () => {
  test('brings the granted pages, and sends the browser back to where it began', async () => {
    const started = await start(ann, '/app/accounts?tab=pages')
    expect(await comeBack(await approve(started), started.cookie)).toBe('/app/accounts?tab=pages&connected=2')
    const [page, other] = await accounts()
    expect(page).toMatchObject({
      platform: 'NET_PAGE',
      status: 'CONNECTED',
      paused: false,
      missingScopes: [],
      version: 1,
    })
    expect(page?.workspaceId).toBe(ann.workspaceId)
    expect(Date.parse(page?.tokenExpiresAt ?? '')).toBeGreaterThan(Date.now() + 59 * 86_400_000)
    expect(other?.externalId).not.toBe(page?.externalId)
    expect(await accounts(bea)).toEqual([])
  })

  test('lists 25 accounts or as many as requested, newest first, each once', async () => {
    const eve = await newPerson(product.url, 'Eve')
    const [first] = await connectPages(eve)
    await sql.query(
      `insert into social_account select (jsonb_populate_record(a, jsonb_build_object('id', uuidv7(), 'external_id', 'more-' || n))).*
        from social_account a, generate_series(1, 59) n where a.id = $1`,
      [first!.id],
    )
    const { rows } = await sql.query<{ id: string }>(
      'select id from social_account where workspace_id = $1 order by id desc',
      [eve.workspaceId],
    )
    type Page = { data: SocialAccount[]; nextCursor: string | null }
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await eve.must<Page>('GET', `/social-accounts${cursor && `?cursor=${cursor}`}`)
      pages.push(page.data.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(pages.map(({ length }) => length)).toEqual([25, 25, rows.length - 50])
    expect(pages.flat()).toEqual(rows.map(({ id }) => id))
    const few = await eve.must<Page>('GET', '/social-accounts?limit=7')
    expect([few.data.map(({ id }) => id), few.nextCursor]).toEqual([pages[0]!.slice(0, 7), expect.any(String)])
    const all = await eve.must<Page>('GET', '/social-accounts?limit=100')
    expect([all.data.length, all.nextCursor]).toEqual([rows.length, null])
  })

  test('redirects a browser at once, whatever the case of the name, with a cookie only for the return', async () => {
    const answer = await ann.call('GET', '/api/v1/auth/oauth/net_page')
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toContain('/dialog/oauth?')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const attributes = answer.headers.getSetCookie()[0]?.split('; ')
    expect(attributes).toEqual(
      expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/api/v1/auth/oauth', 'Max-Age=600']),
    )
  })

  test('is for admins, and for known networks', async () => {
    expect(told(await ann.call('GET', '/api/v1/auth/oauth/NET_NONE'))).toEqual([404, 'unknown_provider'])
    expect(told(await call(product.url, 'GET', START))).toEqual([401, 'unauthenticated'])
    for (const role of ['EDITOR', 'VIEWER', 'CLIENT']) {
      await roleOfAnn(role)
      expect(told(await ann.call('GET', START))).toEqual([403, 'role_required'])
    }
    await roleOfAnn('ADMIN')
    expect((await ann.call('GET', START)).status).toBe(302)
  })

  test('works once: of five simultaneous returns, one connects', async () => {
    const started = await start()
    const path = await approve(started)
    const ends = await Promise.all(Array.from({ length: 5 }, () => comeBack(path, started.cookie)))
    expect(ends.filter((end) => end === '/app/accounts?connected=2')).toHaveLength(1)
    expect(ends.filter((end) => end === '/app?error=link_expired')).toHaveLength(4)
    expect(await comeBack(path, started.cookie)).toBe('/app?error=link_expired')
  })

  test.each([
    ['without the cookie', () => ''],
    ['with the cookie of another browser', ({ cookie }: Started) => `${cookie.split('=')[0]}=${'x'.repeat(43)}`],
  ])('is refused %s, and cannot be completed afterwards', async (_, foreign) => {
    const started = await start()
    const path = await approve(started)
    expect(await comeBack(path, foreign(started))).toBe('/app?error=link_expired')
    expect(await comeBack(path, started.cookie)).toBe('/app?error=link_expired')
    expect(await accounts()).toEqual([])
  })

  test('from two tabs returns to both, and a browser keeps eight of many starts', async () => {
    const [first, second] = [await start(), await start(ann, '/app/other')]
    const both = `${first.cookie}; ${second.cookie}`
    expect(await comeBack(await approve(first), both)).toBe('/app/accounts?connected=2')
    expect(await comeBack(await approve(second), both)).toBe('/app/other?connected=2')
    const kept = Array.from({ length: 9 }, (_, index) => `oauth_browser_${index}=x`)
    const headers = { ...JSON_PLEASE, cookie: kept.join('; ') }
    const cookies = (await ann.call('GET', START, undefined, headers)).headers.getSetCookie()
    const cleared = cookies.filter((each) => each.includes('Expires=Thu, 01 Jan 1970'))
    expect(cleared.map((each) => each.split('=', 1)[0])).toEqual(['oauth_browser_0', 'oauth_browser_1'])
  })

  test('takes the browser’s secret only from the cookie', async () => {
    const started = await start()
    const secret = started.cookie.split('=')[1] as string
    expect(await comeBack(`${await approve(started)}&browserSecret=${secret}`, '')).toBe('/app?error=link_expired')
    expect(await accounts()).toEqual([])
  })

  test('is for the person and workspace that began it, whatever session the return carries', async () => {
    const started = await start()
    const path = `${await approve(started)}&workspaceId=${bea.workspaceId}`
    const asBea = { authorization: `Bearer ${bea.session.accessToken}`, 'x-workspace-id': bea.workspaceId }
    expect(await comeBack(path, started.cookie, asBea)).toBe('/app/accounts?connected=2')
    expect([(await accounts()).length, (await accounts(bea)).length]).toEqual([2, 0])
  })

  test('is refused if the person has lost the role in between', async () => {
    const started = await start()
    const path = await approve(started)
    await roleOfAnn('EDITOR')
    expect(await comeBack(path, started.cookie)).toBe('/app/accounts?error=role_required')
  })

  test('leads back into the app when we fail ourselves', async () => {
    const started = await start()
    const path = await approve(started)
    await sql.query('alter table social_account add constraint broken check (false) not valid')
    try {
      expect(await comeBack(path, started.cookie)).toBe('/app/accounts?error=internal')
    } finally {
      await sql.query('alter table social_account drop constraint broken')
    }
  })

  test('ends with the session that began it', async () => {
    const started = await start()
    const path = await approve(started)
    await ann.must('POST', '/api/v1/auth/logout')
    expect(await comeBack(path, started.cookie)).toBe('/app/accounts?error=session_revoked')
    const { rows } = await sql.query('select from social_account where workspace_id = $1', [ann.workspaceId])
    expect(rows).toEqual([])
  })

  test('saves nothing for a session that ended while the network answered', async () => {
    const started = await start()
    const path = await approve(started)
    await addFault(sandbox, { match: { path: '/me/accounts' }, do: { delayMs: 1_500 }, times: 1 })
    const arriving = comeBack(path, started.cookie)
    await eventually(async () => {
      const { rows } = await sql.query('select from oauth_state where user_id = $1', [ann.session.user.id])
      return rows.length === 0
    })
    // The check before the call to the network has passed.
    await eventually(async () => {
      const { body } = await call<{ faults: { used: number }[] }>(sandbox, 'GET', '/state')
      return body.faults.some(({ used }) => used === 1)
    })
    const { rowCount } = await sql.query(
      `update session set ended_at = now(), end_reason = 'password' where user_id = $1 and ended_at is null`,
      [ann.session.user.id],
    )
    expect(rowCount).toBe(1)
    expect(await arriving).toBe('/app/accounts?error=session_revoked')
    const { rows } = await sql.query('select from social_account where workspace_id = $1', [ann.workspaceId])
    expect(rows).toEqual([])
    expect(await usedUp()).toBe(0)
  })

  test('must be completed within ten minutes', async () => {
    const age = (state: string, by: string) =>
      sql.query(
        `update oauth_state set expires_at = expires_at - $2::interval where state_hash = encode(sha256($1), 'hex')`,
        [Buffer.from(state), by],
      )
    const [slow, late] = [await start(), await start()]
    await age(slow.state, '9 minutes 50 seconds')
    await age(late.state, '10 minutes 1 second')
    expect(await comeBack(await approve(slow), slow.cookie)).toBe('/app/accounts?connected=2')
    expect(await comeBack(await approve(late), late.cookie)).toBe('/app?error=link_expired')
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/app',
    'javascript:alert(1)',
    '/app/..//evil.example',
    '/app/%2e%2e//evil.example',
    '/app\\..\\..\\\\evil.example',
    '/\t/evil.example',
    '@evil.example',
    '',
  ])('never ends outside of our app: redirect=%j', async (redirect) => {
    const { state, cookie } = await start(ann, redirect)
    expect(await comeBack(refusedWith(state), cookie)).toBe('/app?error=access_denied')
  })

  test('that is refused on the consent page returns with an error code, and nothing else from the network', async () => {
    const started = await start()
    const path = await decide(started, [['decision', 'refuse']])
    expect(path).toContain('error_description')
    expect(await comeBack(path, started.cookie)).toBe('/app/accounts?error=access_denied')
    const other = await start()
    expect(await comeBack(refusedWith(other.state, '<script>'), other.cookie)).toBe('/app/accounts?error=access_denied')
  })

  test('that fails says why: a wrong code, no page, an unreachable network', async () => {
    const wrong = await start()
    const path = `${START}/callback?state=${wrong.state}&code=made-up`
    expect(await comeBack(path, wrong.cookie)).toBe('/app/accounts?error=access_denied')
    const none = await start()
    const granted = await decide(none, [
      ['decision', 'approve'],
      ['scope', 'pages_show_list'],
    ])
    expect(await comeBack(granted, none.cookie)).toBe('/app/accounts?error=no_account_granted')
    const down = await start()
    const approved = await approve(down)
    await addFault(sandbox, { match: { path: '/oauth/access_token' }, do: { status: 500, body: 'down' } })
    expect(await comeBack(approved, down.cookie)).toBe('/app/accounts?error=network_error')
    expect(await accounts()).toEqual([])
  })

  const ofPage = [
    'pages_manage_posts',
    'pages_read_engagement',
    'pages_manage_metadata',
    'instagram_basic',
    'instagram_content_publish',
    'instagram_manage_comments',
    'instagram_manage_insights',
  ]
  test.each([
    ['NET_PAGE', ofPage],
    ['NET_PHOTO', ofPage],
    ['NET_VIDEO', ['user.info.basic', 'video.publish', 'video.list', 'video.insights']],
  ])('asks for every permission of the specification on %s', async (platform, scopes) => {
    const path = `/api/v1/auth/oauth/${platform}?redirect=/app/accounts`
    const { body } = await ann.call<{ authorizationUrl: string }>('GET', path, undefined, JSON_PLEASE)
    const asked = new URL(body.authorizationUrl).searchParams.get('scope')?.split(',')
    expect(asked).toEqual(expect.arrayContaining(scopes))
  })

  test('with declined permissions disables what needs them and names them, until they are granted', async () => {
    const started = await start()
    const asked = new URL(started.consentUrl).searchParams.get('scope')?.split(',') ?? []
    const page = await fetch(`${started.consentUrl}&sandbox_user=${network}`)
    const pages = [...(await page.text()).matchAll(/name="page" value="(\d+)"/g)].map(
      ([, id]) => ['page', id] as [string, string],
    )
    const some = asked.filter((scope) => scope !== 'pages_manage_posts' && scope !== 'read_insights')
    const form = [['decision', 'approve'], ...pages, ...some.map((scope) => ['scope', scope])] as [string, string][]
    expect(await comeBack(await decide(started, form), started.cookie)).toBe('/app/accounts?connected=2')
    const [account] = await accounts()
    expect(account?.missingScopes).toEqual([
      { scope: 'pages_manage_posts', neededFor: 'publish' },
      { scope: 'read_insights', neededFor: 'analytics' },
    ])
    const draft = await ann.must<Post>('POST', '/posts', { caption: 'a', targets: [account?.id] })
    expect(draft.checks.map((each: Check) => each.code)).toContain('scope_missing')
    const publish = { caption: 'a', targets: [account?.id], action: 'publish' }
    expect((await ann.call('POST', '/posts', publish)).status).toBe(422)

    const again = await start()
    const consent = await (await fetch(`${again.consentUrl}&sandbox_user=${network}`)).text()
    expect(consent).toContain('value="pages_manage_posts"') // it is requested again
    const all = [['decision', 'approve'], ...pages, ...asked.map((scope) => ['scope', scope])] as [string, string][]
    await comeBack(await decide(again, all), again.cookie)
    expect((await accounts()).find(({ id }) => id === account?.id)).toMatchObject({ missingScopes: [], version: 2 })
    expect((await ann.call('POST', '/posts', publish)).status).toBe(201)
  })

  test('twice reuses the same rows, and takes no more room in the plan', async () => {
    const first = await connectPages(ann, network)
    const second = await connectPages(ann, network)
    expect(second.map(({ id, version }) => [id, version])).toEqual(first.map(({ id }) => [id, 2]))
    expect(await usedUp()).toBe(2)
    expect((await connectPages(bea, network)).map(({ id }) => id)).not.toEqual(first.map(({ id }) => id))
  })
})

describe('connecting one new page', () => {
  /** Leaves for the consent page and grants the person's first page. Returns the way back, with the page. */
  async function granted() {
    const started = await start()
    const consent = await (await fetch(`${started.consentUrl}&sandbox_user=${network}`)).text()
    const page = /name="page" value="(\d+)"/.exec(consent)?.[1] ?? ''
    const scopes = new URL(started.consentUrl).searchParams.get('scope')?.split(',') ?? []
    const form = [['decision', 'approve'], ['page', page], ...scopes.map((scope) => ['scope', scope])]
    return { page, path: await decide(started, form as [string, string][]), cookie: started.cookie }
  }

  test('in two tabs at the same time gives one account, whose tokens work, and takes one place', async () => {
    const ways = [await granted(), await granted()]
    const holder = await sql.connect()
    let arriving
    try {
      await holder.query('begin')
      await holder.query('select from workspace_usage where workspace_id = $1 for update', [ann.workspaceId])
      arriving = ways.map(({ path, cookie }) => comeBack(path, cookie))
      // Both have asked the network, and none has saved an account yet.
      await eventually(async () => {
        const { rows } = await sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length === 2
      })
      await holder.query('commit')
    } finally {
      holder.release(true)
    }
    expect(await Promise.all(arriving)).toEqual(ways.map(() => '/app/accounts?connected=1'))
    const [account, ...others] = await accounts()
    expect([others, await usedUp()]).toEqual([[], 1])
    const post = await ann.must<Post>('POST', '/posts', { caption: 'a', targets: [account?.id], action: 'publish' })
    expect((await untilStatus(ann, post.id, ['PUBLISHED', 'FAILED'])).status).toBe('PUBLISHED')
  })

  test('that a process without this rule adds at the same time is refused, and leaves its tokens alone', async () => {
    const { page, path, cookie } = await granted()
    const holder = await sql.connect()
    let arriving
    try {
      await holder.query('begin')
      await holder.query(
        `insert into social_account (workspace_id, id, platform, external_id, network_user, name, status, connected_at,
            access_token) values ($1, gen_random_uuid(), 'NET_PAGE', $2, $3, 'Page', 'CONNECTED', now(), 'theirs')`,
        [ann.workspaceId, page, network],
      )
      arriving = comeBack(path, cookie)
      await untilWaitedFor(sql, holder)
      await holder.query('commit')
    } finally {
      holder.release(true)
    }
    expect(await arriving).toBe('/app/accounts?error=not_found')
    const { rows } = await sql.query('select access_token, version from social_account where workspace_id = $1', [
      ann.workspaceId,
    ])
    expect([rows, await usedUp()]).toEqual([[{ access_token: 'theirs', version: 1 }], 0])
  })
})

describe('the account limit of the plan', () => {
  test('is never exceeded: a set that does not fit is refused whole, and a full plan before the consent page', async () => {
    await connectPages(ann, network)
    network = 'u1' // three pages; the free plan has room for one more
    const started = await start()
    expect(await comeBack(await approve(started), started.cookie)).toBe('/app/accounts?error=quota_exceeded')
    expect((await accounts()).length).toBe(2)

    await connectPages(bea, 'u1')
    const full = await bea.call<Problem>('GET', START, undefined, JSON_PLEASE)
    expect(told(full)).toEqual([402, 'quota_exceeded'])
    expect(full.body).toMatchObject({ quota: 'social_accounts', limit: 3, used: 3, resetsAt: null })
  })

  test('holds when two connect at the same time', async () => {
    const ways = []
    for (network of ['u901', 'u902', 'u903']) {
      const started = await start()
      ways.push({ path: await approve(started), cookie: started.cookie })
    }
    const ends = await Promise.all(ways.map(({ path, cookie }) => comeBack(path, cookie)))
    expect(ends.filter((end) => end.endsWith('connected=2'))).toHaveLength(1)
    expect([(await accounts()).length, await usedUp()]).toEqual([2, 2])
  })

  test('does not prevent reconnecting an existing account', async () => {
    const [page] = await connectPages(ann, 'u1')
    await sql.query(`update social_account set status = 'RECONNECT_NEEDED' where id = $1`, [page?.id])
    network = 'u1'
    const started = await start()
    expect(await comeBack(await approve(started), started.cookie)).toBe('/app/accounts?connected=3')
    expect((await accounts()).map(({ status }) => status)).toEqual(['CONNECTED', 'CONNECTED', 'CONNECTED'])
    expect(told(await ann.call('GET', START))).toEqual([402, 'quota_exceeded'])
  })
})

describe('tokens', () => {
  /** Every row of every table as text, including the queue. */
  async function everything(): Promise<string> {
    const { rows: tables } = await sql.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind in ('r', 'p') and nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
    )
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await sql.query<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`)
      texts.push(...rows.map((row) => row.text))
    }
    return texts.join('\n')
  }

  /** All tokens that the network has issued. */
  async function issued(): Promise<string[]> {
    const journal = await readFile(join(product.dataDir, 'sandbox', 'journal.ndjson'), 'utf8')
    return [...new Set(journal.match(/EAA[A-Za-z0-9]{20,}/g))]
  }

  test('are stored sealed in the database and nowhere else: in no other table, answer or log', async () => {
    const started = await start()
    const path = await approve(started)
    await comeBack(path, started.cookie)
    const pending = await start()
    const tokens = await issued()
    expect(tokens.length).toBeGreaterThanOrEqual(4) // short-lived, long-lived, and one for each page
    const places = [await everything(), JSON.stringify(await accounts()), product.output()]
    const secrets = [
      ...tokens,
      new URL(path, product.url).searchParams.get('code') ?? '',
      pending.state,
      pending.cookie.split('=')[1] ?? '',
    ]
    expect(secrets.every((secret) => secret.length >= 20)).toBe(true)
    expect(secrets.filter((secret) => places.some((place) => place.includes(secret)))).toEqual([])
    expect(JSON.stringify(await accounts())).not.toMatch(/v1\.[0-9a-f]{8}\./)
    const { rows } = await sql.query('select access_token, user_token from social_account where workspace_id = $1', [
      ann.workspaceId,
    ])
    const sealed = expect.stringMatching(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(rows).toEqual([1, 2].map(() => ({ access_token: sealed, user_token: sealed })))
  })

  test('are erased by disconnecting, and from the queue once the network knows', async () => {
    const [page, other] = await connectPages(ann, network)
    const { rows } = await sql.query<{ access_token: string }>(
      'select access_token from social_account where id = $1',
      [page?.id],
    )
    expect((await ann.call('DELETE', `/social-accounts/${page?.id}`)).status).toBe(204)
    const after = await sql.query('select status, access_token, user_token from social_account where id = $1', [
      page?.id,
    ])
    expect(after.rows).toEqual([{ status: 'DISCONNECTED', access_token: null, user_token: null }])
    await eventually(async () => !(await everything()).includes(rows[0]?.access_token ?? ''))
    expect((await accounts()).map(({ id }) => id)).toEqual([other?.id])
    expect(await accounts(ann, 'DISCONNECTED')).toMatchObject([
      { id: page?.id, grantedScopes: [], tokenExpiresAt: null },
    ])
    expect(await usedUp()).toBe(1)
  })
})

describe('disconnecting', () => {
  test('with waiting posts is refused with their number until it is confirmed, and then they fail', async () => {
    const [page] = await connectPages(ann, network)
    const path = `/social-accounts/${page?.id}`
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
    const posts = [1, 2].map(() => ann.must<Post>('POST', '/posts', { caption: 'a', targets: [page?.id], scheduledAt }))
    const [post] = await Promise.all(posts)
    const refused = await ann.call<Problem>('DELETE', path)
    expect([...told(refused), refused.body.count]).toEqual([409, 'account_in_use', 2])
    expect((await accounts()).length).toBe(2)
    expect((await ann.call('DELETE', `${path}?confirm=true`)).status).toBe(204)
    const failed = await ann.must<Post>('GET', `/posts/${post?.id}`)
    expect(failed.publications).toMatchObject([{ state: 'FAILED', error: { code: 'account_disconnected' } }])
    expect((await ann.call('DELETE', path)).status).toBe(404)
  })

  test('leaves the access of another workspace that uses the same account', async () => {
    const [mine] = await connect(ann, 'NET_VIDEO', network)
    const [theirs] = await connect(bea, 'NET_VIDEO', network)
    await ann.must('DELETE', `/social-accounts/${mine?.id}`)
    await eventually(async () => {
      const { rowCount } = await sql.query(
        `select from graphile_worker.jobs where task_identifier = 'account-revocation'`,
      )
      return rowCount === 0
    })
    expect((await bea.call('GET', `/social-accounts/${theirs?.id}/posting-options`)).status).toBe(200)
  })

  test('and reconnecting reuses the same row with its history', async () => {
    const before = await connectPages(ann, network)
    await ann.must('DELETE', `/social-accounts/${before[0]?.id}`)
    const after = await connectPages(ann, network)
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(after.map(({ status }) => status)).toEqual(['CONNECTED', 'CONNECTED'])
    expect(await usedUp()).toBe(2)
  })
})

describe('an account', () => {
  let page: SocialAccount
  let path: string

  beforeEach(async () => {
    page = (await connectPages(ann, network))[0] as SocialAccount
    path = `/social-accounts/${page.id}`
  })

  test('is paused and resumed; a change without effect keeps the version', async () => {
    const paused = await ann.call<SocialAccount>('PATCH', path, { paused: true }, { 'if-match': '"1"' })
    expect(paused.body).toMatchObject({ paused: true, status: 'CONNECTED', version: 2 })
    expect(paused.headers.get('etag')).toBe('"2"')
    expect(await ann.must('PATCH', path, { paused: true })).toEqual(paused.body)
    expect(await ann.must('PATCH', path, paused.body)).toEqual(paused.body)
    const stale = await ann.call<Problem>('PATCH', path, { paused: false }, { 'if-match': '"1"' })
    expect([...told(stale), stale.body.current]).toEqual([412, 'stale_version', 2])
    expect(await ann.must('PATCH', path, { paused: false })).toMatchObject({ paused: false, version: 3 })
  })

  test('has no other writable field', async () => {
    expect(faults(await ann.call('PATCH', path, { name: 'x', status: 'DISCONNECTED' }))).toEqual([
      '/name read_only',
      '/status read_only',
    ])
    expect(faults(await ann.call('PATCH', path, { accessToken: 'x' }))).toEqual(['/accessToken unknown_field'])
    expect(faults(await ann.call('PATCH', path, { paused: null }))).toEqual(['/paused wrong_type'])
  })

  test('is visible to viewers, not to clients; only admins change or disconnect it', async () => {
    await roleOfAnn('VIEWER')
    expect(await accounts()).toHaveLength(2)
    expect(told(await ann.call('PATCH', path, { paused: true }))).toEqual([403, 'role_required'])
    await roleOfAnn('EDITOR')
    expect(told(await ann.call('DELETE', path))).toEqual([403, 'role_required'])
    await roleOfAnn('CLIENT')
    expect(told(await ann.call('GET', '/social-accounts'))).toEqual([403, 'role_required'])
    await roleOfAnn('OWNER')
    expect((await accounts()).map(({ version }) => version)).toEqual([1, 1])
  })

  test('of others is not found, like an unknown one', async () => {
    const ask = async (id: string) => {
      const answers = [
        await bea.call<Problem>('PATCH', `/social-accounts/${id}`, { paused: true }),
        await bea.call<Problem>('DELETE', `/social-accounts/${id}?confirm=true`),
      ]
      return answers.map(({ status, body }) => [status, JSON.stringify({ ...body, requestId: '' })])
    }
    const foreign = await ask(page.id)
    expect(foreign.map(([status]) => status)).toEqual([404, 404])
    expect(foreign).toEqual(await ask(randomUUID()))
    expect((await accounts()).map(({ version }) => version)).toEqual([1, 1])
  })
})

describe('the tokens of a page and its photo account', () => {
  const renew = async ({ id }: SocialAccount, turn: number) => {
    await sql.query(`update graphile_worker._private_jobs set run_at = now() where key = 'token:' || $1`, [id])
    await eventually(async () => {
      const { rows } = await sql.query(
        `select from audit_entry where action in ('account.token_renewed', 'account.reconnect_needed')
          and object ->> 'accountId' = $1`,
        [id],
      )
      return rows.length === turn
    })
    const { data } = await ann.must<{ data: SocialAccount[] }>('GET', '/social-accounts')
    return data.find((account) => account.id === id)!
  }

  test.each((['NET_PAGE', 'NET_PHOTO'] as const).slice(0, sized(1, 2)))(
    'are renewed after three quarters of their 60 days, each time, on %s',
    async (platform) => {
      {
        const account = (await connect(ann, platform, network))[0]!
        const { rows } = await sql.query<{ days: number }>(
          `select extract(epoch from run_at - now())::float8 / 86400 as days from graphile_worker._private_jobs
          where key = 'token:' || $1`,
          [account.id],
        )
        expect(rows[0]!.days).toBeGreaterThan(44.9)
        expect(rows[0]!.days).toBeLessThan(48.1)
        for (const turn of [1, 2]) {
          // Three quarters of the token's life later.
          await sql.query(
            `update social_account set token_expires_at = token_expires_at - interval '45 days' where id = $1`,
            [account.id],
          )
          const { status, tokenExpiresAt } = await renew(account, turn)
          expect([status, Date.parse(tokenExpiresAt!) > Date.now() + 59 * 86_400_000]).toEqual(['CONNECTED', true])
        }
      }
    },
  )

  test('need a new connection if the person may no longer act for the page', async () => {
    const [page] = (await connectPages(ann, network)) as [SocialAccount]
    await call(sandbox, 'POST', '/accounts', { id: page.externalId, do: 'dismiss' })
    expect(await renew(page, 1)).toMatchObject({ status: 'RECONNECT_NEEDED' })
  })
})
