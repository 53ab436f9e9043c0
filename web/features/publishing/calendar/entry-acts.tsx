import { CalendarX2, Copy } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { allowed } from '../../../../src/publishing/posts/rules.ts'
import { MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { usePostActs } from '../post/use-post-acts.ts'
import type { CalendarEntry } from './entry.ts'

/** Actions that the post's own page offers as well. */
export default function EntryActs({ entry }: { entry: CalendarEntry }) {
  const t = useTranslations('post')
  const { cancel, duplicate } = usePostActs(entry)
  return (
    <>
      <MenuLine />
      {allowed(entry.status).includes('cancel') && (
        <MenuItem onSelect={() => cancel.mutate()}>
          <CalendarX2 className="size-4" aria-hidden />
          {t('cancelSchedule')}
        </MenuItem>
      )}
      <MenuItem onSelect={() => duplicate.mutate()}>
        <Copy className="size-4" aria-hidden />
        {t('duplicate')}
      </MenuItem>
    </>
  )
}
