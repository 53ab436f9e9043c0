import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { isolate } from '../../../bidi.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { More } from '../../../ui/more.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { CommentCount } from './comment-count.tsx'
import { CommentForm, type Mentionable } from './comment-form.tsx'
import { CommentList } from './comment-list.tsx'
import { commentsQuery } from './queries.ts'
import { useRemoveComment } from './use-remove-comment.ts'
import { useLeaving } from '../../../removals.ts'
import { everyMemberQuery } from '../../team/members/queries.ts'

/** The comments of the team and its clients on a post. */
export function Comments({ postId }: { postId: string }) {
  const t = useTranslations('approvals')
  const text = useProblemText()
  const client = useQueryClient()
  const review = useTranslations('approvals.review')
  const { ws, workspace, membership } = usePlace()
  const isClient = membership.role === 'CLIENT'
  const { data: me } = useQuery(meQuery)
  const says = !refusal(membership, 'addComment')
  const query = useInfiniteQuery(commentsQuery(ws, postId))
  const { data: members = [] } = useQuery({ ...everyMemberQuery(ws), enabled: says })
  const people = members.flatMap(({ id, name }): Mentionable[] => (id === null || id === me?.id ? [] : [{ id, name }]))
  const renew = () => client.invalidateQueries({ queryKey: commentsQuery(ws, postId).queryKey })
  const add = useMutation({
    mutationFn: (body: { text: string; mentions: string[] }) =>
      call('addComment', { workspace: ws, params: { id: postId }, body }),
    onSuccess: renew,
  })
  const leaving = useLeaving()
  const remove = useRemoveComment(postId)
  const manages = membership.role === 'OWNER' || membership.role === 'ADMIN'
  return (
    <section className="grid gap-3" aria-labelledby={`comments-${postId}`}>
      <h2 id={`comments-${postId}`} className="text-13 font-medium">
        {isClient ? review('comments') : t('comments')}
        <CommentCount postId={postId} />
      </h2>
      <p className="-mt-2 text-xs text-muted">
        {isClient ? review('commentsSeen', { name: isolate(workspace.name) }) : t('commentsSeen')}
      </p>
      <Loaded query={query} skeleton={<div className="skeleton h-12" aria-hidden />}>
        {({ pages }) => (
          <>
            <More query={query} label={t('earlier')} small className="" />
            <CommentList
              comments={pages.flatMap((page) => page.data).filter(({ id }) => !leaving.has(id))}
              removable={({ author }) => says && (manages || (author.id !== null && author.id === me?.id))}
              onRemove={({ id }) => remove(id)}
            />
          </>
        )}
      </Loaded>
      {says && (
        <CommentForm
          key={postId}
          postId={postId}
          people={people}
          {...(isClient && { label: review('comment') })}
          busy={add.isPending}
          error={add.error ? text(add.error) : null}
          onSay={(said, mentions) =>
            add.mutateAsync({ text: said, mentions }).then(
              () => true,
              () => false,
            )
          }
        />
      )}
    </section>
  )
}
