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

/** The outcome at the network is unknown. A person checks there and reports it. */
export function Unconfirmed({ publication: one, acts, mayAct }: Props) {
  const t = useTranslations('post')
  const common = useTranslations('common')
  const [asking, setAsking] = useState(false)
  const id = useId()
  const network = NETWORKS[one.platform].name
  const { resolve } = acts
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
          <TextField label={t('link')} name="permalink" type="url" dir="ltr" placeholder="https://" />
        </form>
      </Dialog>
    </div>
  )
}
