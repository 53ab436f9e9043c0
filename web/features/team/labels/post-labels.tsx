import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import LabelRow from './label-row.tsx'

/** The labels of a saved post. Changes apply immediately, because labels are not part of its content. */
export default function PostLabels({ post }: { post: Pick<Post, 'id' | 'labels'> }) {
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
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
  return <LabelRow labels={post.labels} onChange={(labels) => change.mutate(labels)} />
}
