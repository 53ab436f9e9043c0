import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { OtherWay } from '../../../../src/team/identity/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { PROVIDERS } from './provider-names.ts'

/** Shown after setting a new password: the other sign-in methods of the account, each with a button to remove it. */
export function OtherWays({ token }: { token: string }) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const [removed, setRemoved] = useState<readonly string[]>([])
  // For an account that was just created this returns an empty list: it has no other sign-in method.
  const { data } = useQuery({
    queryKey: ['other-ways', token],
    queryFn: () => call('listOtherWays', { body: { token } }),
    retry: false,
  })
  const end = useMutation({
    mutationFn: (id: string) => call('endOtherWays', { body: { token, ids: [id] } }),
    onSuccess: (_, id) => setRemoved((before) => [...before, id]),
  })
  const nameOf = ({ kind, detail }: OtherWay) =>
    kind === 'phone' ? t('otherPhone', { digits: detail ?? '' }) : PROVIDERS[kind].name
  if (!data || data.data.length === 0) return null
  return (
    <section className="grid gap-3" aria-labelledby="other-ways">
      <h2 id="other-ways" className="text-13 font-semibold">
        {t('otherWays')}
      </h2>
      {end.error && <FormError>{text(end.error)}</FormError>}
      <ul className="grid gap-3">
        {data.data.map((way) => (
          <li key={way.id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 text-13">
            <span className="grid min-w-0 gap-0.5">
              <span className="font-medium">{nameOf(way)}</span>
              {way.kind !== 'phone' && way.detail && <bdi className="break-words text-muted">{way.detail}</bdi>}
            </span>
            {removed.includes(way.id) ? (
              <span role="status" className="text-muted">
                {t('otherRemoved')}
              </span>
            ) : (
              <Button
                size="sm"
                busy={end.isPending && end.variables === way.id}
                aria-label={t('otherRemoveNamed', { name: nameOf(way) })}
                onClick={() => end.mutate(way.id)}
              >
                {t('otherRemove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
