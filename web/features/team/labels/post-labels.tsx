import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Tag } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { LabelChips } from '../../../ui/label-chip.tsx'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { LabelMenu } from './label-menu.tsx'

/** The labels of a stored post, changed at once: they are none of its content. */
export default function PostLabels({ post }: { post: Pick<Post, 'id' | 'labels'> }) {
  const t = useTranslations('labels')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const may = useMay('updatePost')
  const { queryKey } = postQuery(ws, post.id)
  const show = (labels: LabelMark[]) =>
    client.setQueryData(
      queryKey,
      (before) => before && { ...before, labels: labels.toSorted((a, b) => a.name.localeCompare(b.name)) },
    )
  const change = useMutation({
    scope: { id: `labels-${post.id}` },
    mutationFn: (labels: LabelMark[]) =>
      call('updatePost', { workspace: ws, params: { id: post.id }, body: { labels: labels.map(({ id }) => id) } }),
    onMutate: show,
    onError: (error) => toast.error(text(error)),
    onSettled: () => {
      for (const key of ['post', 'posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, key] })
    },
  })
  const chosen = new Set(post.labels.map(({ id }) => id))
  if (may.hidden && post.labels.length === 0) return null
  return (
    <div role="group" aria-label={t('title')} className="flex min-h-8 min-w-0 flex-wrap items-center gap-1.5 text-13">
      <LabelChips labels={post.labels} max={6} />
      {!may.hidden && (
        <LabelMenu
          label={t('title')}
          creates
          chosen={chosen}
          onToggle={(label, on) =>
            change.mutate(on ? [...post.labels, label] : post.labels.filter(({ id }) => id !== label.id))
          }
          trigger={(props) => (
            <Button variant="ghost" size="sm" reason={may.reason} {...props}>
              {post.labels.length > 0 ? (
                <Plus className="size-3.5" aria-hidden />
              ) : (
                <Tag className="size-3.5" aria-hidden />
              )}
              {t('add')}
            </Button>
          )}
        />
      )}
    </div>
  )
}
