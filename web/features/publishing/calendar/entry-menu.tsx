import { ArrowLeft, ArrowRight, CalendarClock, Ellipsis, SquarePen } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { postTexts } from '../../../i18n.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem, MenuLink } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import type { CalendarEntry } from './entry.ts'
import { useMoving } from './moving.ts'

const EntryActs = lazy(async () => {
  await postTexts()
  return import('./entry-acts.tsx')
})

/** Everything that dragging can do, plus further actions. */
export function EntryMenu({ entry, small }: { entry: CalendarEntry; small?: boolean }) {
  const t = useTranslations('calendar')
  const { ws } = usePlace()
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
      <MenuLink to={`/w/${ws}/posts/${entry.id}`}>
        <SquarePen className="size-4" aria-hidden />
        {t('open')}
      </MenuLink>
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
      <Suspense>
        <EntryActs entry={entry} />
      </Suspense>
    </Menu>
  )
}
