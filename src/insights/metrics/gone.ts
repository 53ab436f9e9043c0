import { query } from '../../core/platform/db.ts'
import type { Scope, Scopes } from '../../core/platform/scope.ts'
import type { Network } from '../../networks/network.ts'

// The names of metrics that a network no longer accepts. They concern all workspaces.

/** How many milliseconds a name that the network refused is not requested. */
const TRIED_AGAIN = 7 * 86_400_000

interface GoneMetric {
  app: string
  version: string
  kind: string
  metric: string
}

/** Returns the names that are not requested at present. */
export const listGone = (scopes: Pick<Scopes, 'ask'>): Promise<GoneMetric[]> =>
  scopes.ask(
    'metrics',
    query<GoneMetric>`select app, version, kind, metric from metric_gone
      where since > app_now() - ${`${TRIED_AGAIN} milliseconds`}::interval order by app, version, kind, metric`,
  )

/** Returns the names of a network that are not requested at present, as `kind/metric`. */
export async function namesGone(scopes: Pick<Scopes, 'ask'>, { app, metrics }: Network): Promise<Set<string>> {
  const gone = (await listGone(scopes)).filter((each) => each.app === app && each.version === metrics.version)
  return new Set(gone.map(({ kind, metric }) => `${kind}/${metric}`))
}

/** Stores names that the network refused, each as `kind/metric`. Operators see them in the log and in `/metrics`. */
export async function storeGone(
  { log }: Pick<Scope, 'log'>,
  scopes: Pick<Scopes, 'ask'>,
  { app, metrics: { version } }: Network,
  gone: readonly string[],
): Promise<void> {
  if (gone.length === 0) return
  await scopes.ask(
    'metrics',
    query`insert into metric_gone (app, version, kind, metric)
      select distinct ${app}, ${version}, split_part(g, '/', 1), split_part(g, '/', 2) from unnest(${gone}::text[]) g
      on conflict (app, version, kind, metric) do update set since = excluded.since`,
  )
  log.warn({ app, version, metrics: gone }, 'the network no longer accepts these metrics')
}
