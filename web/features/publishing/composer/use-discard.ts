import { useCallback, useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '../../../toast.ts'
import type { DraftState } from './use-draft-state.ts'

/** The id of the toast that offers to restore discarded text. */
const DISCARDED = 'draft-discarded'

/**
 * Discards the unsaved changes, and offers to restore them together with the version that they started from. The offer
 * is withdrawn once anything newer is typed.
 */
export function useDiscard({ now, setDraft, setBase, setVersion, setRestored, setError }: DraftState) {
  const t = useTranslations('composer')
  const offered = useRef(false)
  const withdrawOffer = useCallback(() => {
    if (offered.current) toast.dismiss(DISCARDED)
    offered.current = false
  }, [])
  useEffect(() => withdrawOffer, [withdrawOffer])

  const discard = useCallback(() => {
    const thrown = now.current
    setDraft(thrown.base)
    setRestored(false)
    setError(null)
    offered.current = true
    const undo = () => {
      if (!offered.current) return
      offered.current = false
      setDraft(thrown.draft)
      setBase(thrown.base)
      setVersion(thrown.version)
      setRestored(true)
    }
    toast.message(t('discarded'), { id: DISCARDED, action: { label: t('undo'), onClick: undo } })
  }, [now, setBase, setDraft, setError, setRestored, setVersion, t])

  return { discard, withdrawOffer }
}
