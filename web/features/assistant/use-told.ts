import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '../../toast.ts'

/** Tells what is in the post, one message at a time; it goes when that does. */
export function useTold() {
  const t = useTranslations('assistant')
  const last = useRef({ key: '', id: '' })
  return {
    tell(what: 'used' | 'pictureAdded', key: string, undo: () => void) {
      toast.dismiss(last.current.id)
      // One that is going away takes what has its id with it.
      last.current = { key, id: crypto.randomUUID() }
      toast.success(t(what), { id: last.current.id, action: { label: t('undo'), onClick: undo } })
    },
    untell(key: string) {
      if (last.current.key === key) toast.dismiss(last.current.id)
    },
  }
}
