import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostVersion } from '../../../../src/publishing/approvals/api.ts'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import { allowed } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { lazy } from '../../../ui/part.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { useMomentIn } from './people.ts'
import { versionsQuery } from './queries.ts'

const Difference = lazy(() => import('./difference.tsx'))

/** The earlier versions of a post with their changes. Each can be restored. */
export function Versions({ post, onRestored }: { post: Post; onRestored?: () => void }) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, workspace, membership } = usePlace()
  const moment = useMomentIn(workspace.timezone)
  const query = useInfiniteQuery(versionsQuery(ws, post.id))
  const [open, setOpen] = useState<string | null>(null)
  const restore = useMutation({
    // Keep the current time: the old one may have passed, and restoring is about the content.
    mutationFn: ({ content: { scheduledAt: _time, mediaType: _type, ...content } }: PostVersion) =>
      call('updatePost', { workspace: ws, params: { id: post.id }, ifMatch: post.version, body: content }),
    onSuccess: (answer) => {
      client.setQueryData(postQuery(ws, post.id).queryKey, answer)
      for (const kind of ['versions', 'posts', 'calendar', 'approvals'])
        void client.invalidateQueries({ queryKey: [ws, kind] })
      toast.success(t('restored'))
      onRestored?.()
    },
    onError: (error) => toast.error(text(error)),
  })
  const writes = !refusal(membership, 'updatePost') && allowed(post.status).includes('edit')
  return (
    <section className="grid gap-2" aria-labelledby="versions-title">
      <h2 id="versions-title" className="text-13 font-medium">
        {t('before')}
      </h2>
      <Loaded query={query} skeleton={<div className="skeleton h-24" aria-hidden />}>
        {({ pages }) => {
          const versions = pages.flatMap((page) => page.data)
          const [now] = versions
          if (versions.length < 2) return <p className="text-13 text-muted">{t('firstVersion')}</p>
          return (
            <>
              <ol className="card divide-y">
                {versions.slice(1).map((one) => (
                  <li key={one.id} className="grid grid-cols-[minmax(0,1fr)] gap-2 px-3 py-2">
                    <button
                      type="button"
                      aria-expanded={open === one.id}
                      className="flex min-h-8 flex-wrap items-center gap-x-3 text-start text-13 max-sm:min-h-11"
                      onClick={() => setOpen(open === one.id ? null : one.id)}
                    >
                      <span className="font-medium">{moment(one.savedAt)}</span>
                      {one.savedBy && <bdi className="text-muted">{one.savedBy.name}</bdi>}
                    </button>
                    {open === one.id && now && (
                      <div className="grid gap-3 pb-2">
                        <p className="text-xs text-muted">{t('sinceThen')}</p>
                        <Suspense fallback={<div className="skeleton h-16" aria-hidden />}>
                          <Difference before={one.content} after={now.content} />
                        </Suspense>
                        {writes && (
                          <div>
                            <Button size="sm" busy={restore.isPending} onClick={() => restore.mutate(one)}>
                              <RotateCcw className="size-3.5" aria-hidden />
                              {t('restore')}
                            </Button>
                          </div>
                        )}
                      </div>
                    )}
                  </li>
                ))}
              </ol>
              <More query={query} label={t('earlier')} small className="" />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
