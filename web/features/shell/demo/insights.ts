import '../../conversations/endpoints.ts'
import '../../insights/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call, isProblem } from '../../../client.ts'
import { addDays, dateIn, instantOf, weekOf } from '../../../time.ts'
import { entriesOf, PAIRS } from './plan.ts'
import type { Words } from './words/words.ts'

/** A tea room in the sandbox. */
const COMPETITOR = 'cedar_tea_room_32'

/** Creates a monthly report, a segment and a competitor, unless the workspace already has some. */
export async function prepareInsights(
  ws: string,
  features: readonly string[],
  photo: SocialAccount | undefined,
  { segment, report }: Pick<Words, 'segment' | 'report'>,
): Promise<void> {
  const at = { workspace: ws }
  if (photo && features.includes('audience') && (await call('listSegments', at)).data.length === 0) {
    const filter = {
      all: [
        { field: 'network', op: 'is', value: photo.platform },
        { field: 'daysSilent', op: 'atMost', value: 7 },
      ],
    } as const
    await call('createSegment', { ...at, body: { name: segment, filter } })
  }
  if (features.includes('analytics') && (await call('listReports', at)).data.length === 0) {
    const sections = ['overview', 'posts', 'tags', 'bestTimes'] as const
    await call('createReport', {
      ...at,
      body: { ...report, range: 'last_month', sections: [...sections], forClients: true },
    })
  }
  // Costs one network call.
  if (photo && features.includes('competitors') && (await call('listCompetitors', at)).data.length === 0)
    await call('addCompetitor', { ...at, body: { accountId: photo.id, username: COMPETITOR } })
}

/**
 * Starts an A/B test of questions. Its first pairs are published next week and the week after. Each pair's coin toss
 * decides which post comes first.
 */
export async function startTest(
  ws: string,
  zone: string,
  account: SocialAccount,
  { pairs, ...about }: Words['test'],
): Promise<void> {
  const at = { workspace: ws }
  const { id, blocks } = await call('createABTest', {
    ...at,
    body: { ...about, accountId: account.id, kind: 'post', slot: 'weekday-08', trait: 'question', blocks: 8 },
  })
  const [thisMonday = ''] = weekOf(dateIn(new Date(), zone), 'monday')
  const write = async (caption: string, day: number) => {
    const scheduledAt = instantOf(`${addDays(thisMonday, day)}T09:30`, zone).toISOString()
    const body = { caption, targets: [account.id], scheduledAt, action: 'schedule' as const }
    return (await call('createPost', { ...at, body })).id
  }
  for (const [index, [name, day]] of entriesOf(PAIRS).entries()) {
    const { n, first, second } = blocks[index]!
    const [firstPostId, secondPostId] = [
      await write(pairs[name][first.variant], day + 7),
      await write(pairs[name][second.variant], day + 14),
    ]
    await call('setABBlock', { ...at, params: { id, n }, body: { firstPostId, secondPostId } })
  }
  await call('startABTest', { ...at, params: { id } })
}

/** Stops and deletes the A/B tests. Their posts stay. */
export async function endTests(ws: string): Promise<void> {
  const at = { workspace: ws }
  const { data } = await call('listABTests', { ...at, query: { limit: 100 } })
  for (const { id, state } of data) {
    if (state === 'running')
      await call('stopABTest', { ...at, params: { id } }).catch((error: unknown) => {
        // It has ended since it was listed.
        if (!isProblem(error, 'invalid_state')) throw error
      })
    await call('deleteABTest', { ...at, params: { id } })
  }
}
