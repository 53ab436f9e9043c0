import { TriangleAlert } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../../../../src/channels/api.ts'
import { useMaybe } from '../../../i18n.tsx'

/** The permissions that the person did not grant, and what each is for. */
export function MissingScopes({ scopes }: { scopes: SocialAccount['missingScopes'] }) {
  const t = useTranslations('accounts')
  const maybe = useMaybe()
  return (
    <div className="grid gap-1 rounded-lg bg-warn-soft px-3 py-2.5 text-13">
      <p className="flex items-center gap-2 font-medium text-warn">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {t('missing')}
      </p>
      <ul className="grid gap-0.5">
        {scopes.map(({ scope, neededFor }) => (
          <li key={scope}>
            {maybe(`accounts.needs.${neededFor}`, neededFor)}{' '}
            <code dir="ltr" className="text-xs break-all text-muted">
              {scope}
            </code>
          </li>
        ))}
      </ul>
    </div>
  )
}
