import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Verdicts } from '../../../../src/publishing/transfer/api.ts'
import { call } from '../../../client.ts'
import { saveAs } from '../../../download.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { runPatiently } from '../posts/run-patiently.ts'
import { usePlace } from '../../shell/workspace.tsx'

/** The imported rows, the rejected ones, and a way to start over. */
export function Saved({ verdicts: { rows, rest }, onAgain }: { verdicts: Verdicts; onAgain: () => void }) {
  const t = useTranslations('transfer')
  const bulk = useTranslations('bulk')
  const { ws } = usePlace()
  const client = useQueryClient()
  const ids = rows.flatMap(({ postId }) => postId ?? [])
  const [undone, setUndone] = useState<{ done: number; kept: number; running: boolean } | null>(null)
  const undo = async () => {
    let [done, kept] = [0, 0]
    setUndone({ done, kept, running: true })
    await runPatiently(ids, async (id, patient) => {
      try {
        await patient(() => call('deletePost', { workspace: ws, params: { id } }))
        done += 1
      } catch {
        kept += 1
      }
      setUndone({ done, kept, running: true })
    })
    setUndone({ done, kept, running: false })
    for (const name of ['posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, name] })
  }
  const left = rows.length - ids.length
  return (
    <Empty
      icon={CircleCheck}
      role="status"
      title={undone && !undone.running ? t('undone', { count: undone.done }) : t('saved', { count: ids.length })}
      actions={
        <>
          <Link to="/w/$ws/posts" params={{ ws }} className={buttonClass('primary')}>
            {t('toPosts')}
          </Link>
          <Link to="/w/$ws/calendar" params={{ ws }} className={buttonClass()}>
            {t('toCalendar')}
          </Link>
          {rest && (
            <Button onClick={() => saveAs(new Blob([rest], { type: 'text/csv' }), 'posts-left.csv')}>
              <Download className="size-4" aria-hidden />
              {t('rest', { count: left })}
            </Button>
          )}
          {!undone && <Button onClick={() => void undo()}>{t('undo')}</Button>}
          <Button onClick={onAgain}>{t('another')}</Button>
        </>
      }
    >
      {left > 0 && <p>{t('left', { count: left })}</p>}
      {undone?.running && (
        <>
          <progress
            aria-label={t('undoing')}
            className="mt-2 h-1.5 w-full"
            value={undone.done + undone.kept}
            max={ids.length}
          />
          <p>{bulk('stay')}</p>
        </>
      )}
      {undone && !undone.running && undone.kept > 0 && <p role="alert">{t('kept', { count: undone.kept })}</p>}
    </Empty>
  )
}
