import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery, postQuery, waitingQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { DecideBar } from './decide-bar.tsx'
import { useConsequence } from './people.ts'
import { RequestLine } from './request-line.tsx'
import { changeEndsApproval } from './states.ts'
import { useMayDecide } from './use-decide.ts'

/** The state of a post's approval, with its actions. */
export default function ApprovalNote({ post }: { post: Post }) {
  const t = useTranslations('approvals')
  const { ws, workspace, membership } = usePlace()
  const { data: me } = useQuery(meQuery)
  const consequence = useConsequence(workspace.timezone)
  const { approval } = post
  const pending = approval?.state === 'PENDING'
  const waiting = useQuery({ ...waitingQuery(ws), enabled: pending && !refusal(membership, 'listApprovals') })
  const request = waiting.data?.data.find(({ id }) => id === approval?.id)
  const mine = approval?.requestedBy?.id === me?.id || membership.role === 'ADMIN' || membership.role === 'OWNER'
  const withdraws = pending && mine && !refusal(membership, 'withdrawRequest')
  const unfinished = post.status === 'DRAFT' || post.status === 'SCHEDULED'
  const decides = useMayDecide()(post) && membership.role === 'CLIENT'
  if (!unfinished || !(approval || decides)) return null
  return (
    <section
      aria-label={t('title')}
      className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b px-4 py-2.5 lg:px-6"
    >
      <div className="grid min-w-0 grow basis-48 gap-0.5">
        {approval && (
          <>
            <RequestLine approval={approval} waiting={request} />
            <p className="ms-6 text-xs text-muted">
              {pending && `${consequence(approval.asks, post.scheduledAt)} `}
              {post.approved && post.status === 'DRAFT' && !post.checks.some(isTimePassed) && `${t('approvedStill')} `}
              {changeEndsApproval(post) && !refusal(membership, 'updatePost') && t('changeEndsIt')}
            </p>
          </>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <DecideBar post={post} />
        {withdraws && <Withdraw post={post} />}
      </div>
    </section>
  )
}

function Withdraw({ post }: { post: Post }) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const withdraw = useMutation({
    mutationFn: () => call('withdrawRequest', { workspace: ws, params: { id: post.approval?.id ?? '' } }),
    onSuccess: () => toast.message(t('withdrawn')),
    onError: (error) => toast.error(text(error)),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: postQuery(ws, post.id).queryKey })
      for (const kind of ['approvals', 'posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, kind] })
    },
  })
  return (
    <Button busy={withdraw.isPending} onClick={() => withdraw.mutate()}>
      {t('withdraw')}
    </Button>
  )
}
