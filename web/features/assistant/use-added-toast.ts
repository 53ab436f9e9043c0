import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '../../toast.ts'

/**
 * Confirms in a toast what was added to the post, one toast at a time. `dismiss` closes the toast of an addition that was
 * undone.
 */
export function useAddedToast() {
  const t = useTranslations('assistant')
  const last = useRef({ key: '', id: '' })
  return {
    show(what: 'used' | 'pictureAdded', key: string, undo: () => void) {
      toast.dismiss(last.current.id)
      // Always a new id, because a closing toast would also remove a new one with the same id.
      last.current = { key, id: crypto.randomUUID() }
      toast.success(t(what), { id: last.current.id, action: { label: t('undo'), onClick: undo } })
    },
    dismiss(key: string) {
      if (last.current.key === key) toast.dismiss(last.current.id)
    },
  }
}
