import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { BulkAct, Thread } from '../../../../src/conversations/threads/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call, ProblemError } from '../../../client.ts'
import { askToStay } from '../../../stay.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { useInboxProblem } from './problem.ts'
import type { Assignee } from './use-acts.ts'

type Act = Omit<BulkAct, 'ids'> | { snooze: { until: string } }
const UNDO_MS = 10_000
/** The maximum number of threads per request. */
const MOST = 100

interface Job {
  threads: Thread[]
  act: Act
  said: (count: number) => string
  /** Restores the changed threads. */
  undo?: (changed: Thread[]) => Promise<unknown>
}

/** Applies one action to many threads, with an undo for those that it changed. */
export function useBulk() {
  const t = useTranslations('inbox')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const renew = () => {
    for (const key of ['conversations', 'conversation']) void client.invalidateQueries({ queryKey: [ws, key] })
  }
  const each = async (threads: Thread[], act: Act) => {
    const results: { id: string; code: string }[] = []
    for (let from = 0; from < threads.length; from += MOST) {
      const ids = threads.slice(from, from + MOST).map(({ id }) => id)
      const body = { ids, ...act } as NonNullable<Parameters<typeof call<'bulkConversations'>>[1]>['body']
      results.push(...(await call('bulkConversations', { workspace: ws, body })).data)
    }
    return results
  }
  const back = useMutation({
    mutationFn: (undo: () => Promise<unknown>) => askToStay(undo),
    onSuccess: () => toast.success(t('undone')),
    onError: (error) => toast.error(text(error)),
    onSettled: renew,
  })
  const { mutate, isPending } = useMutation({
    mutationFn: ({ threads, act }: Job) => askToStay(() => each(threads, act)),
    onSuccess: (results, { threads, said, undo }) => {
      const codes = new Map(results.map(({ id, code }) => [id, code]))
      const changed = threads.filter(({ id }) => codes.get(id) === 'ok')
      const refused = results.filter(({ code }) => code !== 'ok')
      if (changed.length > 0)
        toast.success(said(changed.length), {
          id: 'inbox-act',
          duration: UNDO_MS,
          ...(undo && { action: { label: t('undo'), onClick: () => back.mutate(() => undo(changed)) } }),
        })
      if (refused.length > 0)
        toast.error(
          `${t('bulk.refused', { count: refused.length })} ${text(new ProblemError(409, { code: refused[0]?.code }))}`,
        )
    },
    onError: (error) => toast.error(text(error)),
    onSettled: renew,
  })

  /** Restores the status from before an action. One bulk request reopens all threads. */
  const restore = async (threads: Thread[]) => {
    await each(threads, { reopen: true })
    for (const { id, status, snoozedUntil } of threads) {
      const at = { workspace: ws, params: { id } }
      if (status === 'ESCALATED') await call('escalateConversation', { ...at, body: {} })
      if (status === 'SNOOZED' && snoozedUntil)
        await call('snoozeConversation', { ...at, body: { until: snoozedUntil } })
    }
  }
  const openOf = (threads: Thread[]) => threads.filter(({ status }) => status !== 'CLOSED')

  return {
    busy: isPending,
    close: (threads: Thread[]) =>
      mutate({
        threads: openOf(threads),
        act: { close: true },
        said: (count) => t('bulk.closed', { count }),
        undo: restore,
      }),
    snooze: (threads: Thread[], until: Date, when: string) =>
      mutate({
        threads: openOf(threads),
        act: { snooze: { until: until.toISOString() } },
        said: (count) => t('bulk.snoozed', { count, when }),
        undo: restore,
      }),
    assign: (threads: Thread[], to: Assignee | null) =>
      mutate({
        threads,
        act: { assign: { userId: to?.id ?? null } },
        said: (count) => (to ? t('bulk.assigned', { count, name: to.name }) : t('bulk.unassigned', { count })),
        undo: async (changed) => {
          const owners = new Set(changed.map(({ assignee }) => assignee?.id ?? null))
          for (const userId of owners)
            await each(
              changed.filter(({ assignee }) => (assignee?.id ?? null) === userId),
              { assign: { userId } },
            )
        },
      }),
    label: (threads: Thread[], label: LabelMark, on: boolean) => {
      const others = threads.filter(({ labels }) => labels.some(({ id }) => id === label.id) !== on)
      mutate({
        threads: others,
        act: { labels: on ? { add: [label.id] } : { remove: [label.id] } },
        said: (count) => t('bulk.labelled', { count }),
        undo: (changed) => each(changed, { labels: on ? { remove: [label.id] } : { add: [label.id] } }),
      })
    },
  }
}
