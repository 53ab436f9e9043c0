import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import type { Trouble } from '../../../../src/publishing/sending/api.ts'
import type { Profile } from '../../../../src/team/identity/api.ts'
import { countsQuery } from '../../conversations/inbox/queries.ts'
import { accountsQuery, waitingQuery } from '../../../queries.ts'
import { refusal } from '../../shell/workspace.tsx'
import { troubleQuery } from '../trouble/query.ts'

/** One matter that waits for this person. */
export type Need =
  | { kind: 'account'; account: SocialAccount }
  | { kind: 'trouble'; trouble: Trouble }
  | { kind: 'inbox'; unanswered: number; escalated: number }
  | { kind: 'approval'; request: ListedApproval }

/**
 * The matters that wait for a person in a workspace, most urgent first, limited to what their role may see and decide.
 */
export function useAttention(membership: Profile['workspaces'][number]) {
  const ws = membership.id
  const trouble = useInfiniteQuery({ ...troubleQuery(ws), enabled: !refusal(membership, 'listTrouble') })
  const accounts = useQuery({ ...accountsQuery(ws), enabled: !refusal(membership, 'startConnection') })
  const threads = useQuery({ ...countsQuery(ws), enabled: !refusal(membership, 'createMessage') })
  const waiting = useQuery({ ...waitingQuery(ws), enabled: !refusal(membership, 'approveRequest') })
  const lost = accounts.data?.filter(({ status }) => status === 'RECONNECT_NEEDED') ?? []
  const mine = waiting.data?.data.filter(({ waitsForCaller }) => waitsForCaller) ?? []
  const troubles = trouble.data?.pages.flatMap(({ data }) => data) ?? []
  const { unanswered = 0, escalated = 0 } = threads.data ?? {}
  const inbox = unanswered > 0 ? [{ kind: 'inbox' as const, unanswered, escalated }] : []
  const needs: Need[] = [
    ...lost.map((account) => ({ kind: 'account' as const, account })),
    ...troubles.map((one) => ({ kind: 'trouble' as const, trouble: one })),
    ...inbox,
    ...mine.map((request) => ({ kind: 'approval' as const, request })),
  ]
  const queries = [trouble, accounts, threads, waiting]
  return {
    needs,
    count: lost.length + inbox.length + mine.length + (trouble.data?.pages[0]?.count ?? 0),
    isLoading: queries.some((one) => one.isLoading),
    error: queries.find((one) => one.isLoadingError)?.error ?? null,
    refetch: () => Promise.all(queries.filter((one) => one.isEnabled).map((one) => one.refetch())),
  }
}

export type Attention = ReturnType<typeof useAttention>
