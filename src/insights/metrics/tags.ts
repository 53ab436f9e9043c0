import { query } from '../../core/platform/db.ts'
import type { Scope } from '../../core/platform/scope.ts'

/** Stores what a post made elsewhere is about. An unknown format is null. */
export async function keepFoundTags(
  scope: Scope,
  id: string,
  { topic, format, tone }: { topic: string; format: string | null; tone: string },
): Promise<void> {
  await scope.write(query`update measured_post set topic = ${topic}, format = ${format}, tone = ${tone}
    where workspace_id = ${scope.workspaceId} and id = ${id} and delivery_id is null`)
}
