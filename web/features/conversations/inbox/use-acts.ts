import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { Thread, Urgency } from '../../../../src/conversations/threads/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call, ProblemError } from '../../../client.ts'
import { meQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { patchThread, renewThread } from './cache.ts'
import { useInboxProblem } from './problem.ts'

/** A person to whom a thread can be assigned. */
export interface Assignee {
  id: string
  name: string
}

const UNDO_MS = 10_000

interface Change {
  /** The optimistic change to the thread. */
  shown: Partial<Thread>
  act: () => Promise<unknown>
  /** The toast after the action, and its undo. */
  said?: string
  undo?: Omit<Change, 'undo'>
}

/** The actions on a thread, applied optimistically. If the service refuses one, the thread is refetched. */
export function useThreadActs({ id, status, assignee, snoozedUntil, labels, urgency, replyStyle }: Thread) {
  const t = useTranslations('inbox')
  const text = useInboxProblem()
  const client = useQueryClient()
  const { ws } = usePlace()
  const me = useQuery(meQuery).data?.id
  const at = { workspace: ws, params: { id } }

  const { mutate } = useMutation({
    scope: { id: `thread-${id}` },
    mutationFn: ({ act }: Change) => act(),
    onMutate: ({ shown }) => patchThread(client, ws, id, shown),
    onError: (error) => toast.error(text(error)),
    onSuccess: (_, { shown, said, undo }) => {
      // A fetch that began before the action may have restored the old state, which the next undo would then use.
      patchThread(client, ws, id, shown)
      if (said === undefined) return
      toast.success(said, {
        id: undo ? 'inbox-act' : crypto.randomUUID(),
        duration: UNDO_MS,
        action: undo && { label: t('undo'), onClick: () => mutate(undo) },
      })
    },
    onSettled: () => renewThread(client, ws, id),
  })

  const before = { status, assignee, snoozedUntil }
  /** Restores the status from before an action that led to `after`. */
  const restoreFrom = (after: Thread['status']) => async () => {
    if (status === 'OPEN' || after === 'CLOSED') await call('reopenConversation', at)
    if (status === 'CLOSED') await call('closeConversation', at)
    if (status === 'ESCALATED') await call('escalateConversation', { ...at, body: {} })
    if (status === 'SNOOZED' && snoozedUntil) await call('snoozeConversation', { ...at, body: { until: snoozedUntil } })
  }
  const undoStatus = (after: Thread['status']) => ({ shown: before, act: restoreFrom(after), said: t('undone') })
  const assignTo = (to: Assignee | null) => call('assignConversation', { ...at, body: { userId: to?.id ?? null } })

  /** Adds or removes one label, so that a colleague's change of another one stays. */
  const setLabel = async ({ id: labelId }: LabelMark, on: boolean) => {
    const labels = on ? { add: [labelId] } : { remove: [labelId] }
    const { data } = await call('bulkConversations', { workspace: ws, body: { ids: [id], labels } })
    const code = data[0]?.code
    if (code !== 'ok') throw new ProblemError(409, { code })
  }

  return {
    close: () =>
      mutate({
        shown: { status: 'CLOSED', snoozedUntil: null },
        act: () => call('closeConversation', at),
        said: t('closed'),
        undo: undoStatus('CLOSED'),
      }),
    reopen: () =>
      mutate({
        shown: { status: 'OPEN', snoozedUntil: null },
        act: () => call('reopenConversation', at),
        said: t('reopened'),
        undo: undoStatus('OPEN'),
      }),
    escalate: () =>
      mutate({
        shown: { status: 'ESCALATED', snoozedUntil: null },
        act: () => call('escalateConversation', { ...at, body: {} }),
        said: t('escalated'),
        undo: undoStatus('ESCALATED'),
      }),
    snooze: (until: Date, when: string) =>
      mutate({
        shown: { status: 'SNOOZED', snoozedUntil: until.toISOString() },
        act: () => call('snoozeConversation', { ...at, body: { until: until.toISOString() } }),
        said: t('snoozed', { when }),
        undo: undoStatus('SNOOZED'),
      }),
    assign: (to: Assignee | null) =>
      mutate({
        shown: { assignee: to },
        act: () => assignTo(to),
        said: !to ? t('unassigned') : to.id === me ? t('assignedToYou') : t('assignedTo', { name: to.name }),
        undo: { shown: { assignee }, act: () => assignTo(assignee), said: t('undone') },
      }),
    toggleLabel: (label: LabelMark, on: boolean) => {
      const others = labels.filter((one) => one.id !== label.id)
      const chosen = on ? [...others, label] : others
      mutate({
        shown: { labels: chosen.toSorted((a, b) => a.name.localeCompare(b.name)) },
        act: () => setLabel(label, on),
      })
    },
    setUrgency: (to: Urgency) =>
      mutate({
        shown: { urgency: to },
        act: () => call('updateConversation', { ...at, body: { urgency: to } }),
        said: t('urgencySet', { urgency: t(`urgencies.${to}`) }),
        undo: {
          shown: { urgency },
          act: () => call('updateConversation', { ...at, body: urgency === null ? {} : { urgency } }),
          said: t('undone'),
        },
      }),
    setStyle: (to: string | null) =>
      mutate({
        shown: { replyStyle: to },
        act: () => call('updateConversation', { ...at, body: { replyStyle: to } }),
        said: t('style.saved'),
        undo: {
          shown: { replyStyle },
          act: () => call('updateConversation', { ...at, body: { replyStyle } }),
          said: t('undone'),
        },
      }),
  }
}

export type ThreadActs = ReturnType<typeof useThreadActs>
