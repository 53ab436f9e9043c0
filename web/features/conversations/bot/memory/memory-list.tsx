import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Memory } from '../../../../../src/conversations/memory/api.ts'
import { call, isProblem } from '../../../../client.ts'
import { useProblemText } from '../../../../problem.ts'
import { toast } from '../../../../toast.ts'
import { Button } from '../../../../ui/button.tsx'
import { useMay, usePlace } from '../../../shell/workspace.tsx'
import { useShortTime } from '../../inbox/times.ts'
import { memoryQuery } from '../queries.ts'

/** What the bot remembers about a customer, next to the thread. Everyone who may reply may delete it. */
export function MemoryList({ conversationId }: { conversationId: string }) {
  const t = useTranslations('why.memory')
  const problem = useProblemText()
  const short = useShortTime()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('deleteMemory')
  const query = memoryQuery(ws, conversationId)
  const { data: all = [] } = useQuery(query)
  const forget = useMutation({
    mutationFn: ({ id }: Memory) => call('deleteMemory', { workspace: ws, query: { id } }),
    onMutate: ({ id }) => {
      client.setQueryData(query.queryKey, (before) => before?.filter((one) => one.id !== id))
    },
    onSuccess: () => toast.success(t('deleted')),
    onError: (error) => !isProblem(error, 'not_found') && toast.error(problem(error)),
    onSettled: () => client.invalidateQueries({ queryKey: query.queryKey }),
  })
  if (all.length === 0) return null
  return (
    <section aria-labelledby="memory-title" className="grid grid-cols-[minmax(0,1fr)] gap-1 border-t pt-3">
      <h3 id="memory-title" className="flex justify-between gap-2 text-xs font-semibold text-muted">
        {t('title')}
        <span className="font-normal">{t('hint')}</span>
      </h3>
      <ul className="grid grid-cols-[minmax(0,1fr)]">
        {all.map((one) => (
          <li key={one.id} className="flex min-h-8 items-center gap-2 text-xs">
            <span className="w-16 shrink-0 text-muted">{t(`keys.${one.key}`)}</span>
            <bdi className="min-w-0 grow break-words font-medium">{one.value}</bdi>
            <span className="shrink-0 text-muted tabular-nums">{short(one.createdAt)}</span>
            {!may.hidden && (
              <Button
                variant="ghost"
                size="icon"
                className="size-6! max-sm:size-11!"
                reason={may.reason}
                aria-label={t('delete', { value: one.value })}
                onClick={() => forget.mutate(one)}
              >
                <X className="size-3.5" aria-hidden />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
