import '../../conversations/endpoints.ts'
import '../../insights/endpoints.ts'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { call } from '../../../client.ts'
import * as content from './content.ts'

/** Makes the report of the month, a group of guests, and another café to compare with. What the visitor has stays as it is. */
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
