import type pg from 'pg'
import { countJobs } from '../core/platform/jobs.ts'
import type { Scopes } from '../core/platform/scope.ts'
import { countQueue } from '../delivery/queue.ts'
import { listGone } from '../insights/metrics/gone.ts'
import { countLateErasures } from '../team/workspaces/deletion.ts'

/** Reads the present figures of the queues and of the database's connections, for an operator. */
export async function readFigures(scopes: Scopes, pool: pg.Pool) {
  const [queue, jobs, lateErasures, gone] = await Promise.all([
    countQueue(scopes),
    countJobs(pool),
    countLateErasures(scopes),
    listGone(scopes),
  ])
  return [
    {
      name: 'parley_publications',
      help: 'Unfinished deliveries (posts, comments, removals, replies, messages), by state and by what they wait for.',
      labels: ['state', 'reason'],
      values: queue.map(({ state, reason, count }) => ({ labels: { state, reason }, value: count })),
    },
    {
      name: 'parley_publication_overdue_seconds',
      help: 'Seconds since the oldest unfinished delivery was due, by state and by what it waits for.',
      labels: ['state', 'reason'],
      values: queue.map(({ state, reason, overdue }) => ({ labels: { state, reason }, value: overdue })),
    },
    {
      name: 'parley_jobs',
      help: 'Jobs by name: waiting for their time or a worker, running, or failed for good.',
      labels: ['job', 'state'],
      values: jobs.map(({ job, state, count }) => ({ labels: { job, state }, value: count })),
    },
    {
      name: 'parley_late_erasures',
      help: 'Deleted workspaces whose erasure is more than a day late.',
      labels: [],
      values: [{ labels: {}, value: lateErasures }],
    },
    {
      name: 'parley_refused_metrics',
      help: 'Names of metrics that a network no longer accepts, and that are not requested for a week.',
      labels: ['app', 'version', 'kind', 'metric'],
      values: gone.map((labels) => ({ labels: { ...labels }, value: 1 })),
    },
    {
      name: 'parley_database_connections',
      help: 'Connections of this process to the database, and requests that wait for one.',
      labels: ['state'],
      values: [
        { labels: { state: 'open' }, value: pool.totalCount },
        { labels: { state: 'idle' }, value: pool.idleCount },
        { labels: { state: 'waiting' }, value: pool.waitingCount },
      ],
    },
  ]
}
