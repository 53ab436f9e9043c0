import '../../conversations/endpoints.ts'
import '../../insights/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call } from '../../../client.ts'
import type { Words } from './words/words.ts'

/** A tea room of the sandbox. */
const COMPETITOR = 'cedar_tea_room_32'

/** Creates a monthly report, a segment and a competitor. Where the visitor already has some, they stay as they are. */
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
  // One call of the network.
  if (photo && features.includes('competitors') && (await call('listCompetitors', at)).data.length === 0)
    await call('addCompetitor', { ...at, body: { accountId: photo.id, username: COMPETITOR } })
}
