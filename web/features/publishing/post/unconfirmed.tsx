import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Publication } from '../../../../src/publishing/posts/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import type { usePostActs } from './use-post-acts.ts'

interface Props {
  publication: Publication
  acts: ReturnType<typeof usePostActs>
  mayAct: boolean
}

/** The posts on the network that may be this one, by their addresses, or by their ids if they have none. */
const candidatesOf = ({ error }: Publication): string[] =>
  error?.text?.key === 'failures.outcome_unknown/several' ? String(error.text.values['posts']).split(' ') : []

/** The outcome at the network is unknown. A person checks there and reports it. */
export function Unconfirmed({ publication: one, acts, mayAct }: Props) {
  const t = useTranslations('post')
  const common = useTranslations('common')
  const [asking, setAsking] = useState(false)
  const id = useId()
  const network = NETWORKS[one.platform].name
  const { resolve } = acts
  const candidates = candidatesOf(one)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const permalink = String(new FormData(event.currentTarget).get('permalink')).trim()
    resolve.mutate(
      { publicationId: one.id, outcome: 'live', ...(permalink ? { permalink } : {}) },
      { onSuccess: () => setAsking(false) },
    )
  }
  return (
    <div className="grid gap-3 rounded-lg bg-warn-soft px-3 py-2.5 text-13">
      <p>{t('unconfirmed', { network, account: one.accountName })}</p>
      {candidates.length > 0 && (
        <div className="grid gap-1">
          <p>{t('candidates', { count: candidates.length })}</p>
          <ul className="grid gap-1">
            {candidates.map((each) => (
              <li key={each} className="min-w-0 break-all">
                {/^https?:/.test(each) ? (
                  <a
                    href={each}
                    target="_blank"
                    rel="noreferrer"
                    aria-label={`${each} ${t('newTab')}`}
                    className="inline-flex min-h-6 items-center underline max-sm:min-h-11"
                  >
                    <bdi dir="ltr">{each}</bdi>
                  </a>
                ) : (
                  <bdi dir="ltr">{each}</bdi>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {mayAct && (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" onClick={() => setAsking(true)}>
            {t('isLive')}
          </Button>
          <Button
            size="sm"
            busy={resolve.isPending}
            onClick={() => resolve.mutate({ publicationId: one.id, outcome: 'not_live' })}
          >
            {t('isNotLive')}
          </Button>
        </div>
      )}
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t('isLive')}
        description={t('isLiveHint')}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>{common('cancel')}</Button>
            <Button variant="primary" type="submit" form={id} busy={resolve.isPending}>
              {t('markLive')}
            </Button>
          </>
        }
      >
        <form id={id} onSubmit={submit}>
          <TextField
            label={t('link')}
            name="permalink"
            type="url"
            dir="ltr"
            placeholder="https://"
            defaultValue={candidates.length === 1 && /^https?:/.test(candidates[0]!) ? candidates[0] : undefined}
          />
        </form>
      </Dialog>
    </div>
  )
}
