import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '../../toast.ts'

/**
 * Confirms in a toast what was added to the post, one toast at a time. `untell` dismisses it when the addition is
 * undone.
 */
export function useTold() {
  const t = useTranslations('assistant')
  const last = useRef({ key: '', id: '' })
  return {
    tell(what: 'used' | 'pictureAdded', key: string, undo: () => void) {
      toast.dismiss(last.current.id)
      // A new id each time: a toast that is closing would take another with the same id with it.
      last.current = { key, id: crypto.randomUUID() }
      toast.success(t(what), { id: last.current.id, action: { label: t('undo'), onClick: undo } })
    },
    untell(key: string) {
      if (last.current.key === key) toast.dismiss(last.current.id)
    },
  }
}
