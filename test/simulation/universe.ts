import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import pg from 'pg'
import { vi } from 'vitest'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/core/config.ts'
import { mediaJobs } from '../../src/publishing/media/jobs.ts'
import { createNetworks } from '../../src/networks/registry.ts'
import { createCallBudget } from '../../src/delivery/budget.ts'
import { createPrecedence } from '../../src/delivery/precedence.ts'
import { createClock } from '../../src/core/platform/clock.ts'
import { createCrypto } from '../../src/core/platform/crypto.ts'
import { openPool } from '../../src/core/platform/db.ts'
import { type JobName, jobs } from '../../src/core/platform/job-names.ts'
import type { JobHandlers } from '../../src/core/platform/jobs.ts'
import { openEvents } from '../../src/core/platform/events.ts'
import { createLog } from '../../src/core/platform/log.ts'
import { createMail } from '../../src/core/platform/mail.ts'
import { createModel } from '../../src/core/platform/model/provider.ts'
import { openPartials } from '../../src/core/platform/partials.ts'
import { createPayments } from '../../src/core/platform/payments.ts'
import { createScopes, type Scopes } from '../../src/core/platform/scope.ts'
import { createSms } from '../../src/core/platform/sms.ts'
import { openDiskStorage } from '../../src/core/platform/storage.ts'
import { createTokens } from '../../src/core/platform/tokens.ts'
import { accountJobs } from '../../src/channels/jobs.ts'
import { publishingJobs } from '../../src/publishing/sending/jobs.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import type { Services, Settings } from '../../src/services.ts'
import { openNetworks } from '../adapters.ts'
import { freshDatabase } from '../database.ts'
import { subscribers } from '../../src/subscribers.ts'

// The product and the networks in one process, with one clock that moves only when the test moves it. The database,
// adapters, statements and rules are the usual ones, with nothing left to chance.

export interface Universe {
  url: string
  sandboxUrl: string
  services: Services
  pool: pg.Pool
  sql: pg.Pool
  /** Milliseconds since the universe began. Only `advance` moves them, not `step`. */
  now(): number
  advance(milliseconds: number): Promise<void>
  /** Moves only the database's clock, forwards or back. The difference stays. */
  step(milliseconds: number): Promise<void>
  /** Runs the due jobs in order, until none is left. */
  work(): Promise<void>
  /** Returns the changes of posts and targets since the last call, in order. */
  changes(): Promise<Change[]>
  close(): Promise<void>
}

export interface Change {
  at: number
  postId: string
  /** Null for a change of the post itself. */
  accountId: string | null
  /** Whether the change is one of the first comment or the removal. */
  ofOther: boolean
  from: string
  to: string
  /** The time before which no target of the post may begin. */
  dueAt: number | null
}

/** The queues whose due jobs run here. Media are decoded, but mail and text messages are not sent. */
const WORKED: JobName[] = ['media', 'media-video', 'flight-check', 'id-lookup', 'token-refresh']

export async function openUniverse(): Promise<Universe> {
  const ends: (() => unknown)[] = []
  const folder = await mkdtemp(join(tmpdir(), 'parley-universe-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  const database = await freshDatabase()
  ends.push(() => database.drop())
  const sql = new pg.Pool({ connectionString: database.url, max: 4 })
  ends.push(() => sql.end())
  await sql.query(observed)

  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  ends.push(() => vi.useRealTimers())
  // Stay ahead of the machine's clock, by which the queue dates jobs without a time: these are due at once.
  vi.advanceTimersByTime(24 * 3_600_000)
  const began = Date.now()
  let off = 0
  const tellDatabase = () => sql.query('update app_clock set at = $1', [new Date(Date.now() + off)])
  await tellDatabase()

  const sandbox = Fastify({ forceCloseConnections: true })
  // Answers carry the time of the simulated networks.
  sandbox.addHook('onSend', async (_request, reply) => void reply.header('date', new Date().toUTCString()))
  await sandbox.register(await createSandbox({ journal: join(folder, 'journal.ndjson') }), { prefix: '/sandbox' })
  const sandboxUrl = `${await sandbox.listen({ port: 0, host: '127.0.0.1' })}/sandbox`
  ends.push(() => sandbox.close())

  const pool = openPool(database.url, 10, () => undefined, { prepare: true })
  ends.push(() => pool.end())
  const log = createLog('silent')
  const events = await openEvents(database.url, log)
  ends.push(() => events.close())
  const clock = createClock()
  const platform = createScopes({ pool, events, clock, log, subscribers })
  const config = readConfig({
    NODE_ENV: 'test',
    DATA_DIR: folder,
    DEFAULT_PLAN: 'business',
    REQUESTS_PER_MINUTE: '1000000',
  })
  let url = ''
  const services: Services = {
    config,
    clock,
    log,
    events,
    storage: await openDiskStorage(join(folder, 'media')),
    crypto: createCrypto(config.encryptionKey),
    mail: createMail({ from: 'Parley <parley@sandbox.test>', url: null }),
    model: createModel(null),
    payments: createPayments('open'),
    sms: createSms(null),
    settings: settingsAt(() => url),
    tokens: createTokens(config.jwtSecret, config.jwtRefreshSecret),
    networks: createNetworks(Object.values(openNetworks(sandboxUrl, 1))),
    providers: [],
    partials: await openPartials(join(folder, 'uploads')),
    budget: createCallBudget({ scopes: platform, log }, config.networkCallsPerHour),
    precedence: createPrecedence(1),
    stopping: new AbortController().signal,
  }
  const app = await createApp(
    services,
    platform,
    {
      version: '0',
      ready: () => true,
      checks: { database: async () => {}, queue: async () => {}, storage: async () => {} },
      client: {
        sandbox: sandboxUrl,
        passwordMinLength: 10,
        publicMedia: true,
        plansChosenByOwners: true,
        contactEmail: null,
        aiIsStandIn: true,
        ai: true,
        providers: [],
        networks: [],
      },
    },
    { token: undefined, figures: async () => [] },
  )
  ends.push(() => app.close())
  url = await app.listen({ port: 0, host: '127.0.0.1' })

  const handlers = {
    ...mediaJobs(services, platform),
    ...accountJobs(services, platform),
    ...publishingJobs(services),
  } as JobHandlers
  return {
    url,
    sandboxUrl,
    services,
    pool,
    sql,
    now: () => Date.now() - began,
    async advance(milliseconds) {
      vi.advanceTimersByTime(milliseconds)
      await tellDatabase()
    },
    async step(milliseconds) {
      off += milliseconds
      await tellDatabase()
      clock.sync(new Date(Date.now() + off))
    },
    work: () => workOff(sql, platform, handlers),
    async changes() {
      const { rows } = await sql.query<{
        at: Date
        post_id: string
        account_id: string | null
        of_other: boolean
        was: string
        is: string
        due_at: Date | null
      }>('with taken as (delete from observed returning *) select * from taken order by number')
      return rows.map((row) => ({
        at: row.at.getTime() - began,
        postId: row.post_id,
        accountId: row.account_id,
        ofOther: row.of_other,
        from: row.was,
        to: row.is,
        dueAt: row.due_at && row.due_at.getTime() - began,
      }))
    },
    async close() {
      for (const end of ends.toReversed()) await end()
    },
  }
}

function settingsAt(publicUrl: () => string): Settings {
  return {
    defaultPlan: 'business',
    passwordMinLength: 10,
    passwordKib: 64,
    aiCallsPerMinute: 20,
    classificationsPerMinute: 60,
    timeScale: 1,
    triesPerAddress: 1_000_000,
    codesPerAddress: 1_000_000,
    humanAgent: true,
    realNetworks: false,
    publicUrl,
    filesUrl: () => `${publicUrl()}/files`,
    callbackUrl: () => undefined,
    publicMedia: () => true,
    reachesItself: async () => true,
  }
}

/** Runs the due jobs, since the queue's own runner uses the machine's clock. A failed job runs again after a minute. */
async function workOff(sql: pg.Pool, scopes: Scopes, handlers: JobHandlers): Promise<void> {
  for (;;) {
    const { rows } = await sql.query<{ name: JobName; payload: { workspaceId: string; data: unknown } }>(
      `with next_one as (
         select j.id, t.identifier from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where j.run_at <= app_now() and t.identifier = any ($1) order by j.run_at, j.id limit 1)
       delete from graphile_worker._private_jobs j using next_one n where j.id = n.id returning n.identifier as name, j.payload`,
      [WORKED],
    )
    const [job] = rows
    if (!job) return
    const { name, payload } = job
    const scope = scopes.scope(payload.workspaceId, { kind: 'system', name })
    const handle = handlers[name] as (of: typeof scope, data: unknown) => Promise<void>
    try {
      await handle(scope, jobs[name].parse(payload.data))
    } catch {
      const again = [{ name, data: payload.data, runAt: new Date(Date.now() + 60_000).toISOString() }]
      await sql.query(
        `select set_config('app.workspace_id', $1, false), enqueue_jobs($2::jsonb), set_config('app.workspace_id', '', false)`,
        [payload.workspaceId, JSON.stringify(again)],
      )
    }
  }
}

/** Makes the database's clock stay where it is put, and records every change of a state. */
const observed = `
  alter table app_clock add at timestamptz;
  create or replace function app_now() returns timestamptz language sql stable return (select at from app_clock);
  create table observed (number bigint generated always as identity, at timestamptz, post_id uuid, account_id uuid, of_other boolean not null default false, was text,
    "is" text, due_at timestamptz);
  create function observe_post() returns trigger language plpgsql security definer as $$
  begin
    insert into observed (at, post_id, was, "is", due_at) values (app_now(), new.id, old.status, new.status, old.scheduled_at);
    return null;
  end $$;
  create trigger observed after update on post for each row when (old.status is distinct from new.status)
    execute function observe_post();
  create function observe_target() returns trigger language plpgsql security definer as $$
  begin
    insert into observed (at, post_id, account_id, of_other, was, "is", due_at)
      values (app_now(), new.post_id, new.account_id, new.kind <> 'post', old.state, new.state, new.due_at);
    return null;
  end $$;
  create trigger observed after update on delivery for each row when (old.state is distinct from new.state)
    execute function observe_target();
`
