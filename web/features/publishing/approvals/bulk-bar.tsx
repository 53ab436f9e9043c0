import { CalendarClock, CheckCheck, CircleAlert, CircleCheck, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { SelectAll } from '../../../ui/select-all.tsx'
import { BulkProgress } from '../posts/bulk-progress.tsx'
import { effectOf } from './effect.ts'
import type { useApproveMany } from './use-bulk.ts'

type Many = ReturnType<typeof useApproveMany>

interface Props {
  many: Many
  shown: ListedApproval[]
  selected: ListedApproval[]
  onSelect: (ids: string[]) => void
}

/**
 * Selects pending requests, approves them in one go, and shows the result of each. Confirms first if any approval
 * publishes immediately.
 */
export function BulkBar({ many, shown, selected, onSelect }: Props) {
  const t = useTranslations('approvals')
  const bulk = useTranslations('bulk')
  const { run, running, approve } = many
  const [asking, setAsking] = useState(false)
  const done = run?.results.length ?? 0
  const effects = selected.map(({ post, asks }) => effectOf(post, asks.act))
  const now = effects.filter((effect) => effect === 'publish').length
  const later = effects.filter((effect) => effect === 'schedule').length
  const approveSelected = () => {
    setAsking(false)
    onSelect([])
    void approve(selected)
  }
  return (
    <section aria-label={bulk('title')} className="grid grid-cols-[minmax(0,1fr)] border-b">
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
        <SelectAll shown={shown} count={selected.length} onSelect={onSelect} className="text-13">
          {selected.length > 0 ? bulk('selected', { count: selected.length }) : bulk('selectAll')}
        </SelectAll>
        {running ? (
          <BulkProgress done={done} total={run?.total ?? 0} />
        ) : (
          selected.length > 0 && (
            <Button size="sm" variant="primary" onClick={() => (now > 0 ? setAsking(true) : approveSelected())}>
              <CheckCheck className="size-3.5" aria-hidden />
              {t('approveMany', { count: selected.length })}
            </Button>
          )
        )}
      </div>
      <BulkResults many={many} />
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('manyTitle', { count: selected.length })}
        description={
          <>
            <span className="block">{t('manyNow', { count: now })}</span>
            {later > 0 && <span className="block">{t('manyLater', { count: later })}</span>}
          </>
        }
        action={t('publishAction')}
        onConfirm={approveSelected}
      />
    </section>
  )
}

/** The result of each request once all are decided, even if none is left in the list. */
export function BulkResults({ many: { run, running, dismiss } }: { many: Many }) {
  const t = useTranslations('approvals')
  const posts = useTranslations('posts')
  const common = useTranslations('common')
  if (!run || running) return null
  const refused = run.results.filter(({ why }) => why !== null).length
  return (
    <div role="status" className="flex items-start gap-2 border-t bg-sunken px-4 py-2 text-13">
      <div className="min-w-0 grow">
        <p className="font-semibold">{t('approvedOf', { done: run.total - refused, total: run.total })}</p>
        <ul className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-1">
          {run.results.map(({ request, why, late }) => (
            <li key={request.id} className="flex items-start gap-2">
              {late ? (
                <CalendarClock className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
              ) : why === null ? (
                <CircleCheck className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden />
              ) : (
                <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
              )}
              <span className="min-w-0">
                <bdi dir="auto" className="block clip font-medium">
                  {request.post.caption || posts('untitled')}
                </bdi>
                <span className="block break-words">{why ?? t(late ? 'approvedLate' : 'states.APPROVED')}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
      <Button variant="ghost" size="icon" aria-label={common('close')} onClick={dismiss}>
        <X className="size-4" aria-hidden />
      </Button>
    </div>
  )
}
