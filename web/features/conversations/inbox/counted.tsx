import { ExternalLink } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { buttonClass } from '../../../ui/button.tsx'

interface Props {
  thread: Thread
  comments: NonNullable<Thread['comments']>
}

/** The new comments of a post whose network does not let apps read them, with a link to them. */
export function CountedComments({ thread: { post, platform }, comments }: Props) {
  const t = useTranslations('inbox.counted')
  const network = NETWORKS[platform].short
  return (
    <section aria-labelledby="counted-title" className="py-4 grid justify-items-center gap-3 px-2 text-center">
      <div className="grid gap-1">
        <h3 id="counted-title" className="text-base font-semibold">
          {comments.new > 0 ? t('new', { count: comments.new }) : t('all', { count: comments.count })}
        </h3>
        {comments.new > 0 && comments.new < comments.count && (
          <p className="text-13 text-muted">{t('of', { count: comments.count })}</p>
        )}
      </div>
      <p className="max-w-md text-13 text-muted">{t('why', { network })}</p>
      {post?.permalink && (
        <a href={post.permalink} target="_blank" rel="noreferrer" className={buttonClass('primary')}>
          <ExternalLink className="size-4 rtl:-scale-x-100" aria-hidden />
          {t('open', { network })}
        </a>
      )}
    </section>
  )
}
