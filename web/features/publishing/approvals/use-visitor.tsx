import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Review } from '../../../../src/publishing/approvals/api.ts'
import { NameDialog } from '../../../ui/name-dialog.tsx'

/** The person acting through a link, with a name if the link has none. */
export type Visitor = { name?: string }

/**
 * Asks a visitor for their name before the first action through a link without one. `ask` resolves with null if they
 * give none. The service then keeps the name for the link.
 */
export function useVisitor({ link, workspace }: Pick<Review, 'link' | 'workspace'>) {
  const t = useTranslations('approvals.review')
  const [name, setName] = useState('')
  const [asking, setAsking] = useState(false)
  const answer = useRef<(visitor: Visitor | null) => void>(undefined)
  const end = (visitor: Visitor | null) => {
    setAsking(false)
    answer.current?.(visitor)
  }
  const ask = async (): Promise<Visitor | null> => {
    if (link.name !== null) return {}
    if (name) return { name }
    setAsking(true)
    return new Promise((resolve) => {
      answer.current = resolve
    })
  }
  const dialog = asking && (
    <NameDialog
      title={t('whoTitle')}
      description={t('whoBody', { name: workspace.name })}
      label={t('who')}
      missing={t('whoMissing')}
      action={t('whoGo')}
      initial=""
      busy={false}
      error={null}
      onClose={() => end(null)}
      onSave={(given) => {
        setName(given.trim())
        end({ name: given.trim() })
      }}
    />
  )
  return { ask, dialog }
}
