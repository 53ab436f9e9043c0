import { Link } from '@tanstack/react-router'
import { CalendarClock, CalendarX2, RotateCcw, Share2, Tag, Trash2, X } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { postTexts } from '../../../i18n.tsx'
import { Button } from '../../../ui/button.tsx'
import { lazy } from '../../../ui/part.tsx'
import { SelectAll } from '../../../ui/select-all.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { LabelMenu } from '../../team/labels/label-menu.tsx'
import { labelsOf } from '../../team/labels/labels-of.ts'
import { BulkProgress } from './bulk-progress.tsx'
import type { BulkKind } from './bulk-run.ts'
import { MoveDialog } from './move-dialog.tsx'
import { fits, type useBulk } from './use-bulk.ts'
import type { Selection } from './use-selection.ts'

// Loads the texts of approvals too, because few people share posts.
const ReviewLinks = lazy(async () => {
  await postTexts()
  return { default: (await import('../approvals/review-links.tsx')).ReviewLinks }
})
const DeleteDialog = lazy(async () => {
  await postTexts()
  return { default: (await import('../post/delete-dialog.tsx')).DeleteDialog }
})

type Bulk = ReturnType<typeof useBulk>

/** The maximum number of posts per review link. */
const POSTS_PER_LINK = 50

interface Props {
  bulk: Bulk
  shown: Post[]
  selection: Selection
  /** Whether further posts match the filter. */
  more: boolean
}

/** Selects the visible posts or all that match, and applies one action to all selected ones. */
export function BulkBar({ bulk, shown, selection, more }: Props) {
  const t = useTranslations('bulk')
  const [asking, setAsking] = useState<'move' | 'remove' | 'share' | null>(null)
  const selected = selection.among(shown)
  const ticked = shown.filter(({ id }) => selection.has(id)).length
  const off = (kind: BulkKind) => (selected.some((post) => fits(kind, post)) ? null : t(`none.${kind}`))
  const shares = useMay('shareReviewLink')
  const tooMany = selected.length > POSTS_PER_LINK ? t('shareTooMany', { count: POSTS_PER_LINK }) : null
  const { run } = bulk
  const isWorking = run !== null && run.running && run.kind !== 'label'
  const box = useFocusKept(isWorking ? 'working' : selection.matching ? 'matching' : null)
  return (
    <section
      aria-label={t('title')}
      className="sticky top-13 z-10 grid grid-cols-[minmax(0,1fr)] border-b bg-bg md:top-0"
    >
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 lg:px-6">
        <SelectAll ref={box} shown={shown} count={ticked} onSelect={selection.select} className="-ms-1 px-1 text-13">
          {selected.length > 0 ? t('selected', { count: selected.length }) : t('selectAll')}
        </SelectAll>
        {isWorking ? (
          <BulkProgress done={run.done} total={run.total} />
        ) : (
          selected.length > 0 && (
            <div className="flex flex-wrap gap-1.5">
              <Button size="sm" reason={off('move')} onClick={() => setAsking('move')}>
                <CalendarClock className="size-3.5" aria-hidden />
                {t('move')}
              </Button>
              <Button size="sm" reason={off('cancel')} onClick={() => void bulk.cancel(selected)}>
                <CalendarX2 className="size-3.5" aria-hidden />
                {t('cancel')}
              </Button>
              <BulkLabels bulk={bulk} selected={selected} />
              <Button size="sm" reason={off('retry')} onClick={() => void bulk.retry(selected)}>
                <RotateCcw className="size-3.5" aria-hidden />
                {t('retry')}
              </Button>
              {!shares.hidden && (
                <Button size="sm" reason={shares.reason ?? tooMany} onClick={() => setAsking('share')}>
                  <Share2 className="size-3.5" aria-hidden />
                  {t('share')}
                </Button>
              )}
              <Button size="sm" reason={off('remove')} onClick={() => setAsking('remove')}>
                <Trash2 className="size-3.5" aria-hidden />
                {t('remove')}
              </Button>
            </div>
          )
        )}
      </div>
      {more && ticked === shown.length && !run?.running && <BeyondShown count={ticked} selection={selection} />}
      <p role="status" className="sr-only">
        {run && !run.running && t('finished', { done: run.total - run.refused.length, total: run.total })}
      </p>
      <BulkRefusals bulk={bulk} />
      {asking === 'move' && (
        <MoveDialog
          posts={selected}
          onClose={() => setAsking(null)}
          onMove={(timeOf) => {
            setAsking(null)
            void bulk.move(selected, timeOf)
          }}
        />
      )}
      <Suspense>
        {asking === 'share' && <ReviewLinks postIds={selected.map(({ id }) => id)} onClose={() => setAsking(null)} />}
      </Suspense>
      <Suspense>
        {asking === 'remove' && (
          <DeleteDialog
            posts={selected}
            onDelete={(also) => {
              setAsking(null)
              void bulk.remove(selected, also)
            }}
            onClose={() => setAsking(null)}
          />
        )}
      </Suspense>
    </section>
  )
}

/**
 * Returns a ref for the box that selects all. The box takes the focus when the button that had it gives way to the
 * progress, or to the result of selecting all that match.
 */
function useFocusKept(instead: 'working' | 'matching' | null) {
  const box = useRef<HTMLInputElement>(null)
  const before = useRef(instead)
  useEffect(() => {
    const gaveWay = instead !== null && instead !== before.current
    before.current = instead
    if (gaveWay && document.activeElement === document.body) box.current?.focus()
  }, [instead])
  return box
}

/** Offers to select the posts that match the filter and are not shown. Says how many are selected then. */
function BeyondShown({ count, selection }: { count: number; selection: Selection }) {
  const t = useTranslations('bulk')
  const { matching, isReading } = selection
  const all = matching?.posts.length
  return (
    <p
      role="status"
      className="flex min-h-10 flex-wrap items-center gap-x-2 border-t bg-sunken px-4 py-1 text-13 lg:px-6"
    >
      {all === undefined ? (
        <>
          {t('allShown', { count })}
          <Button variant="ghost" size="sm" busy={isReading} onClick={selection.selectMatching}>
            {t('selectMatching')}
          </Button>
        </>
      ) : (
        t(matching?.isWhole ? 'allMatching' : 'mostMatching', { count: all })
      )}
    </p>
  )
}

/** The labels of the selected posts. A label that only some have is first added to the others. */
function BulkLabels({ bulk, selected }: { bulk: Bulk; selected: Post[] }) {
  const t = useTranslations('bulk')
  return (
    <LabelMenu
      label={t('label')}
      creates
      {...labelsOf(selected)}
      onToggle={(label, on) => void bulk.label(selected, label, on)}
      trigger={(props) => (
        <Button size="sm" {...props}>
          <Tag className="size-3.5" aria-hidden />
          {t('label')}
        </Button>
      )}
    />
  )
}

/** The refused posts with their reasons, even if none is left in the list. */
export function BulkRefusals({ bulk: { run, dismiss } }: { bulk: Bulk }) {
  const t = useTranslations('bulk')
  const posts = useTranslations('posts')
  const common = useTranslations('common')
  const { ws } = usePlace()
  if (!run || run.running || run.refused.length === 0) return null
  return (
    <div role="alert" className="flex items-start gap-3 border-t bg-bad-soft px-4 py-2 text-13 lg:px-6">
      <div className="min-w-0 grow">
        <p className="font-semibold text-bad">{t('refused', { count: run.refused.length, total: run.total })}</p>
        <ul className="mt-1 grid max-h-40 grid-cols-[minmax(0,1fr)] gap-1 overflow-y-auto">
          {run.refused.map(({ post, why }) => (
            <li key={post.id} className="flex flex-wrap gap-x-2">
              <Link
                to="/w/$ws/posts/$id"
                params={{ ws, id: post.id }}
                dir="auto"
                className="max-w-full clip font-medium underline"
              >
                {post.caption || posts('untitled')}
              </Link>
              <span>{why}</span>
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
