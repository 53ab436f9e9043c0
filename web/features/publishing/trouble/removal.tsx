import { useTranslations } from 'use-intl'
import type { Removal } from '../../../../src/publishing/posts/api.ts'
import { useFailureWords } from '../../../service-words.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import type { usePostActs } from '../post/use-post-acts.ts'

/** A post that was deleted here but may still be live: where, why, and a retry. */
export function RemovalCard({
  removal,
  again,
  retries,
}: {
  removal: Removal
  again: ReturnType<typeof usePostActs>['removeAgain']
  retries: boolean
}) {
  const t = useTranslations('trouble')
  const failure = useFailureWords()
  return (
    <div className="card grid gap-2 p-4 text-13">
      {removal.error && (
        <div className="grid gap-1">
          <p className="font-medium">{failure(removal.error).message}</p>
          <p>{failure(removal.error).fix}</p>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {retries && (
          <Button size="sm" busy={again.isPending} onClick={() => again.mutate(removal.publicationId)}>
            {t('removeAgain')}
          </Button>
        )}
        {removal.permalink && (
          <a href={removal.permalink} target="_blank" rel="noreferrer" className={buttonClass('secondary', 'sm')}>
            {t('look')}
          </a>
        )}
      </div>
    </div>
  )
}
