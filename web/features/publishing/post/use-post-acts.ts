import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Post, Publication } from '../../../../src/publishing/posts/api.ts'
import type { Resolution } from '../../../../src/publishing/sending/api.ts'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { clearMirror } from '../composer/mirror.ts'
import { useRestoreDeleted } from '../posts/restore-deleted.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** The actions on a saved post, apart from editing it. */
export function usePostActs(
  post: Pick<Post, 'id'> & Partial<Pick<Post, 'version' | 'approved' | 'status' | 'scheduledAt'>>,
) {
  const t = useTranslations('post')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const restoreDeleted = useRestoreDeleted()
  const { ws } = usePlace()
  const at = { workspace: ws, params: { id: post.id } }

  const lists = () => {
    void client.invalidateQueries({ queryKey: [ws, 'posts'] })
    void client.invalidateQueries({ queryKey: [ws, 'calendar'] })
  }
  const take = (answer: Post) => {
    client.setQueryData(postQuery(ws, answer.id).queryKey, answer)
    lists()
  }
  const refuse = (error: unknown, said = text(error)) => {
    toast.error(said)
    // The refusal may be due to an outdated screen.
    if (isProblem(error) && (error.status === 409 || error.status === 412))
      void client.invalidateQueries({ queryKey: postQuery(ws, post.id).queryKey })
  }

  const retry = useMutation({
    mutationFn: (publicationIds?: string[]) =>
      call('retryPost', { ...at, body: publicationIds ? { publicationIds } : {} }),
    onSuccess: (answer) => {
      take(answer)
      if (answer.checks.some(({ code }) => code === 'media_processing')) toast.message(t('waits.media'))
    },
    onError: (error) => refuse(error),
  })

  const resolve = useMutation({
    mutationFn: ({ publicationId, ...body }: Resolution & { publicationId: string }) =>
      call('resolvePublication', { workspace: ws, params: { id: post.id, publicationId }, body }),
    onSuccess: take,
    onError: (error) => refuse(error),
  })

  const retryNow = useMutation({
    mutationFn: (publicationId: string) =>
      call('retryPublicationNow', { workspace: ws, params: { id: post.id, publicationId } }),
    onSuccess: (answer) => {
      take(answer)
      toast.message(t('retryingNow'))
    },
    onError: (error) => refuse(error),
  })

  const stop = useMutation({
    mutationFn: ({ id }: Pick<Publication, 'id' | 'accountName'>) =>
      call('stopPublication', { workspace: ws, params: { id: post.id, publicationId: id } }),
    onSuccess: (answer, { accountName }) => {
      take(answer)
      toast.message(t('stopped', { account: accountName }))
    },
    onError: (error) => {
      const sent =
        isProblem(error, 'invalid_state') && ['PREPARING', 'SUBMITTING'].includes(String(error.problem['current']))
      refuse(error, sent ? t('tooLate') : undefined)
    },
  })

  const comment = useMutation({
    mutationFn: (publicationId: string) =>
      call('retryFirstComment', { workspace: ws, params: { id: post.id, publicationId } }),
    onSuccess: take,
    onError: (error) => refuse(error),
  })

  const removeAgain = useMutation({
    mutationFn: (publicationId: string) =>
      call('retryRemoval', { workspace: ws, params: { id: post.id, publicationId } }),
    onSuccess: lists,
    onError: (error) => refuse(error),
  })

  const cancel = useMutation({
    mutationFn: () => call('cancelPost', { ...at, ifMatch: post.version }),
    onSuccess: (answer) => {
      take(answer)
      toast.message(t('cancelled'), {
        description: post.approved && !answer.approved ? common('approvalEnded') : undefined,
      })
    },
    onError: (error) => refuse(error),
  })

  const duplicate = useMutation({
    mutationFn: () => call('duplicatePost', at),
    onSuccess: async (answer) => {
      take(answer)
      await navigate({ to: '/w/$ws/posts/$id', params: { ws, id: answer.id } })
      toast.success(t('duplicated'))
    },
    onError: (error) => refuse(error),
  })

  const restore = async () => {
    try {
      const { id, status = 'DRAFT', scheduledAt = null } = post
      const restored = await restoreDeleted({ id, status, scheduledAt })
      take(restored.post)
      await navigate({ to: '/w/$ws/posts/$id', params: { ws, id } })
      if (restored.unscheduled) toast.message(restored.unscheduled)
    } catch (error) {
      refuse(error)
    }
  }

  const remove = useMutation({
    mutationFn: (alsoOn: readonly Platform[]) =>
      call('deletePost', { ...at, ifMatch: post.version, query: { alsoOn: alsoOn.join(',') || undefined } }),
    onSuccess: async (answer) => {
      clearMirror(ws, post.id)
      await navigate({ to: '/w/$ws/posts', params: { ws } })
      client.removeQueries({ queryKey: postQuery(ws, post.id).queryKey })
      lists()
      const removals = answer?.removals.length ?? 0
      const stays = answer?.liveOnNetworks ?? 0
      const said = [
        removals > 0 && t('removing', { count: removals }),
        stays > 0 && t('stillLive', { count: stays }),
      ].filter(Boolean)
      toast.message(t('deleted'), {
        description: said.join(' ') || undefined,
        // A post deleted on its network cannot be restored.
        action: removals > 0 ? undefined : { label: t('undo'), onClick: () => void restore() },
      })
    },
    onError: (error) => refuse(error),
  })

  return { retry, retryNow, stop, resolve, comment, cancel, duplicate, remove, removeAgain }
}
