import { ArrowLeft, ArrowRight, CalendarClock, Ellipsis } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { Entry } from './entry.ts'
import { useMoving } from './moving.ts'

/** What dragging does, without dragging. */
export function EntryMenu({ entry, small }: { entry: Entry; small?: boolean }) {
  const t = useTranslations('calendar')
  const { step, choose } = useMoving()
  const label = t('moreFor', { caption: entry.caption || t('untitled') })
  return (
    <Menu
      label={label}
      align="end"
      trigger={(props) => (
        <Button
          variant="ghost"
          size="icon"
          aria-label={label}
          draggable={false}
          className={small ? 'size-6! rounded-[5px]' : 'z-10'}
          {...props}
        >
          <Ellipsis className="size-4" aria-hidden />
        </Button>
      )}
    >
      <MenuItem onSelect={() => choose(entry)}>
        <CalendarClock className="size-4" aria-hidden />
        {t('moveTo')}
      </MenuItem>
      <MenuItem onSelect={() => step(entry, -1, 0)}>
        <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
        {t('dayBefore')}
      </MenuItem>
      <MenuItem onSelect={() => step(entry, 1, 0)}>
        <ArrowRight className="size-4 rtl:rotate-180" aria-hidden />
        {t('dayAfter')}
      </MenuItem>
    </Menu>
  )
}
