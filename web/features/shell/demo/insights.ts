import '../../conversations/endpoints.ts'
import '../../insights/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call } from '../../../client.ts'
import * as content from './content.ts'

/** Creates a monthly report, a segment and a competitor. Where the visitor already has some, they stay as they are. */
export async function prepareInsights(
  ws: string,
  features: readonly string[],
  photo: SocialAccount | undefined,
): Promise<void> {
  const at = { workspace: ws }
  if (photo && features.includes('audience') && (await call('listSegments', at)).data.length === 0)
    await call('createSegment', { ...at, body: content.segmentOn(photo.platform) })
  if (features.includes('analytics') && (await call('listReports', at)).data.length === 0)
    await call('createReport', { ...at, body: content.REPORT })
  // One call of the network.
  if (photo && features.includes('competitors') && (await call('listCompetitors', at)).data.length === 0)
    await call('addCompetitor', { ...at, body: { accountId: photo.id, username: content.COMPETITOR } })
}
