import { invalid } from '../../core/errors.ts'
import { query, sql } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'
import { isHandoff } from '../threads/answered.ts'
import type { ReplyStats } from './api.ts'
import { calibrationOf, type Labelled } from './rules.ts'

const DAY = 24 * 3_600_000
const USUAL = 30 * DAY
const LONGEST = 366 * DAY

interface Figures extends Omit<ReplyStats['days'][number], 'firstResponseSeconds'> {
  median: number | null
  p90: number | null
}

interface Whole {
  median: number | null
  p90: number | null
  bot: number
  approved: number
  people: number
  nobody: number
  closed: number
  resolved: number
  rated: number
  content: number
}

/** Whether the approved draft `r` was sent as it was written, except for case and spaces. */
const isUnchanged = sql`(r.sent_text is null or r.sent_text <> ''
  and lower(regexp_replace(r.sent_text, '\\s+', '', 'g')) = lower(regexp_replace(r.text, '\\s+', '', 'g')))`

/** Whether a message `o` is an answer. Telling a customer that a person will answer is none. */
const isAnswer = sql`o.direction = 'OUT' and o.is_intended and not ${isHandoff(sql`o`)}`

interface Span {
  from: Date
  to: Date
}

/**
 * Selects the customers' messages of a period, with their next answer and who gave it. A hand-off text is no answer.
 * `is_first` is the first message of each wait: the ones before it were answered.
 */
const askedMessages = (workspaceId: string, { from, to }: Span) => sql`
  select m.at, (select o.at from message o where o.workspace_id = m.workspace_id and o.thread_id = m.thread_id
      and ${isAnswer} and o.at >= m.at order by o.at, o.id limit 1) as answered_at,
    (select o.source from message o where o.workspace_id = m.workspace_id and o.thread_id = m.thread_id
      and ${isAnswer} and o.at >= m.at order by o.at, o.id limit 1) as source,
    not exists (select from message b where b.workspace_id = m.workspace_id and b.thread_id = m.thread_id and b.direction = 'IN'
      and b.at < m.at and not exists (select from message o where o.workspace_id = m.workspace_id and o.thread_id = m.thread_id
        and ${isAnswer} and o.at between b.at and m.at)) as is_first
  from message m where m.workspace_id = ${workspaceId} and m.direction = 'IN' and m.at >= ${from} and m.at < ${to}`

/** Selects the figures of each day of a period. */
function daysStatement(workspaceId: string, { from, to }: Span) {
  return query<Figures>`
    with zone as (select timezone from workspace where id = ${workspaceId}),
    asked as (${askedMessages(workspaceId, { from, to })}),
    sent as (select m.at from message m where m.workspace_id = ${workspaceId} and m.source = 'BOT_AUTO' and m.is_intended
      and m.at >= ${from} and m.at < ${to}),
    ended as (select d.ended_at as at, d.verdict from decision d where d.workspace_id = ${workspaceId} and d.kind = 'bot'
      and d.ended_at >= ${from} and d.ended_at < ${to}),
    decided as (select r.decided_at as at, r.state, ${isUnchanged} as is_unchanged from draft_reply r
      where r.workspace_id = ${workspaceId} and r.decided_at >= ${from} and r.decided_at < ${to}),
    day as (select d::date as day from zone, generate_series((${from} at time zone zone.timezone)::date,
      ((${to}::timestamptz - interval '1 millisecond') at time zone zone.timezone)::date, interval '1 day') d),
    -- Each list is grouped once, because 50,000 messages would be looked through again for each day.
    asked_on as (select (asked.at at time zone zone.timezone)::date as day, count(*)::int as received,
        percentile_cont(0.5) within group (order by extract(epoch from answered_at - asked.at))
          filter (where is_first and answered_at is not null) as median,
        percentile_cont(0.9) within group (order by extract(epoch from answered_at - asked.at))
          filter (where is_first and answered_at is not null) as p90
      from asked, zone group by 1),
    sent_on as (select (sent.at at time zone zone.timezone)::date as day, count(*)::int as bot_sent from sent, zone group by 1),
    ended_on as (select (ended.at at time zone zone.timezone)::date as day, count(*) filter (where verdict = 'HELD')::int as held,
        count(*) filter (where verdict = 'ESCALATED')::int as escalated
      from ended, zone group by 1),
    decided_on as (select (decided.at at time zone zone.timezone)::date as day,
        count(*) filter (where state = 'APPROVED' and is_unchanged)::int as approved_unchanged,
        count(*) filter (where state = 'APPROVED' and not is_unchanged)::int as edited,
        count(*) filter (where state = 'FLAGGED')::int as flagged
      from decided, zone group by 1)
    select day::text as day, coalesce(received, 0) as received, coalesce(bot_sent, 0) as bot_sent, coalesce(held, 0) as held,
      coalesce(escalated, 0) as escalated, coalesce(approved_unchanged, 0) as approved_unchanged, coalesce(edited, 0) as edited,
      coalesce(flagged, 0) as flagged, median, p90
    from day left join asked_on using (day) left join sent_on using (day) left join ended_on using (day)
      left join decided_on using (day) order by day`
}

/** Selects the figures of a period as a whole. */
function totalsStatement(workspaceId: string, { from, to }: Span) {
  return query<Whole>`
    with asked as (${askedMessages(workspaceId, { from, to })}),
    ending as (select t.sentiment, exists (select from message m where m.workspace_id = t.workspace_id
          and m.thread_id = t.id and m.direction = 'OUT' and m.is_intended and m.source in ('AGENT_MANUAL', 'BOT_SUGGESTED')
          and m.at >= t.opened_at) as by_person,
        -- A customer who wrote a moment ago may still come back.
        (t.status = 'CLOSED' or t.unanswered_at is null) and t.last_in_at < app_now() - interval '24 hours' as is_over
      -- Comments that are only counted have no customer.
      from thread t where t.workspace_id = ${workspaceId} and t.identity_id is not null and t.last_in_at >= ${from} and t.last_in_at < ${to})
    select (select percentile_cont(0.5) within group (order by extract(epoch from answered_at - at)) from asked where is_first and answered_at is not null) as median,
      (select percentile_cont(0.9) within group (order by extract(epoch from answered_at - at)) from asked where is_first and answered_at is not null) as p90,
      (select count(*)::int from asked where source = 'BOT_AUTO') as bot,
      (select count(*)::int from asked where source = 'BOT_SUGGESTED') as approved,
      (select count(*)::int from asked where source = 'AGENT_MANUAL') as people,
      (select count(*)::int from asked where source is null) as nobody,
      (select count(*)::int from ending where is_over) as closed,
      (select count(*)::int from ending where is_over and not by_person) as resolved,
      (select count(*)::int from ending where is_over and sentiment is not null) as rated,
      (select count(*)::int from ending where is_over and sentiment in ('neutral', 'positive')) as content`
}

/**
 * Selects how many replies used each answer of the FAQ and each text of the knowledge base. An FAQ passage begins with
 * its question, and one of the knowledge base with its name.
 */
const citedStatement = (workspaceId: string, { from, to }: Span) =>
  query<ReplyStats['cited'][number]>`
    select case when s ->> 'id' like 'faq:%' then 'answer' else 'text' end as kind,
      split_part(s ->> 'text', case when s ->> 'id' like 'faq:%' then chr(10) else ': ' end, 1) as title,
      count(distinct d.id)::int as replies
    from decision d cross join jsonb_array_elements(d.sources) s
    where d.workspace_id = ${workspaceId} and d.kind <> 'simulate' and d.reply is not null
      and d.ended_at >= ${from} and d.ended_at < ${to}
    group by 1, 2 order by replies desc, title limit 1000`

/**
 * Returns how customers were answered in a period, by day in the workspace's time zone. A message counts on the day it
 * arrived, and its first response is the next answer in its thread. Throws `validation_failed`.
 */
export async function readStats(
  scope: Scope,
  asked: { from?: Date | undefined; to?: Date | undefined },
): Promise<ReplyStats> {
  const to = asked.to ?? scope.now()
  const from = asked.from ?? new Date(to.getTime() - USUAL)
  if (from >= to) throw invalid({ path: '/from', code: 'after_end', message: 'The start must be before the end.' })
  if (to.getTime() - from.getTime() > LONGEST) {
    throw invalid({
      path: '/from',
      code: 'too_long',
      message: 'The period is longer than 366 days. Choose a shorter one.',
      limit: 366,
    })
  }
  const { workspaceId } = scope
  const [days, [whole], labels, confidences, cited] = await scope.read(
    daysStatement(workspaceId, { from, to }),
    totalsStatement(workspaceId, { from, to }),
    query<Labelled>`select r.confidence, r.state = 'APPROVED' and ${isUnchanged} as unchanged
      from draft_reply r where r.workspace_id = ${workspaceId} and r.state in ('APPROVED', 'FLAGGED')
        and r.decided_at >= ${from} and r.decided_at < ${to}
      union all select d.confidence, d.check_flag is null
      from decision d where d.workspace_id = ${workspaceId} and d.checked_at >= ${from} and d.checked_at < ${to}
        and d.confidence is not null`,
    query<{ confidence: number }>`select confidence from decision where workspace_id = ${workspaceId} and kind = 'bot'
      and confidence is not null and ended_at >= ${from} and ended_at < ${to}`,
    citedStatement(workspaceId, { from, to }),
  )
  const share = (count: number, of: number) => (of === 0 ? null : Math.round((count / of) * 1_000) / 1_000)
  const w = whole!
  const sum = (field: Exclude<keyof Figures, 'day' | 'median' | 'p90'>) =>
    days.reduce((all, day) => all + day[field], 0)
  return {
    received: sum('received'),
    botSent: sum('botSent'),
    held: sum('held'),
    escalated: sum('escalated'),
    approvedUnchanged: sum('approvedUnchanged'),
    edited: sum('edited'),
    flagged: sum('flagged'),
    firstResponseSeconds: { median: w.median, p90: w.p90 },
    resolutionRate: share(w.resolved, w.closed),
    answeredBy: { bot: w.bot, approved: w.approved, people: w.people, nobody: w.nobody },
    cited,
    automatedShare: share(w.bot, w.bot + w.approved + w.people),
    satisfaction: { value: share(w.content, w.rated), basis: 'sentiment' },
    calibration: calibrationOf(
      labels,
      confidences.map(({ confidence }) => confidence),
    ),
    days: days.map(({ median, p90, ...day }) => ({ ...day, firstResponseSeconds: { median, p90 } })),
  }
}
