import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Post } from '../../../../src/publishing/posts/api.ts'
import type { LabelMark } from '../../../../src/team/labels/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { postQuery } from '../../../queries.ts'
import { toast } from '../../../toast.ts'
import { usePlace } from '../../shell/workspace.tsx'
import LabelRow from './label-row.tsx'

/** The labels that a person saw, and those that they chose. */
interface Change {
  before: LabelMark[]
  after: LabelMark[]
}

const has = (labels: LabelMark[], id: string) => labels.some((one) => one.id === id)

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
    mutationFn: async ({ before, after }: Change) => {
      const at = { workspace: ws, params: { id: post.id } }
      // Others may have changed the labels since.
      const stored = (await call('getPost', at)).labels.map(({ id }) => id)
      const kept = stored.filter((id) => !has(before, id) || has(after, id))
      const added = after.map(({ id }) => id).filter((id) => !has(before, id) && !kept.includes(id))
      return call('updatePost', { ...at, body: { labels: [...kept, ...added] } })
    },
    onMutate: ({ after }) => show(after),
    onError: (error) => toast.error(text(error)),
    onSettled: () => {
      for (const key of ['post', 'posts', 'calendar']) void client.invalidateQueries({ queryKey: [ws, key] })
    },
  })
  return <LabelRow labels={post.labels} onChange={(after) => change.mutate({ before: post.labels, after })} />
}
