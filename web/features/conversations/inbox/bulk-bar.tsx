import { AlarmClock, CircleCheck, Tag, UserRound, X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { SelectAll } from '../../../ui/select-all.tsx'
import { LabelMenu } from '../../team/labels/label-menu.tsx'
import { labelsOf } from '../../team/labels/labels-of.ts'
import { Assignees } from './people.tsx'
import { useSnooze } from './snooze.tsx'
import type { useBulk } from './use-bulk.ts'

interface Props {
  bulk: ReturnType<typeof useBulk>
  shown: Thread[]
  selected: Thread[]
  onSelect: (ids: string[]) => void
}

/** Actions on all selected threads. None of them sends anything to a customer. */
export function BulkBar({ bulk, shown, selected, onSelect }: Props) {
  const t = useTranslations('inbox')
  const words = useTranslations('labels')
  const done = () => onSelect([])
  const { times, dialog } = useSnooze((until, when) => {
    bulk.snooze(selected, until, when)
    done()
  })
  if (selected.length === 0) return null
  const icon = { variant: 'ghost', size: 'icon' } as const
  return (
    <section
      aria-label={t('bulk.title')}
      className="sticky top-0 z-20 flex min-h-11 items-center gap-0.5 border-b bg-surface ps-4 pe-1"
    >
      <SelectAll shown={shown} count={selected.length} onSelect={onSelect} className="me-auto min-w-0">
        <span className="clip">{t('bulk.selected', { count: selected.length })}</span>
      </SelectAll>
      <Menu
        label={t('assign')}
        trigger={(props) => (
          <Button {...icon} busy={bulk.busy} aria-label={t('assign')} title={t('assign')} {...props}>
            <UserRound className="size-4" aria-hidden />
          </Button>
        )}
      >
        <Assignees
          assignee={undefined}
          onAssign={(to) => {
            bulk.assign(selected, to)
            done()
          }}
        />
      </Menu>
      <LabelMenu
        label={words('title')}
        creates
        {...labelsOf(selected)}
        onToggle={(label, on) => bulk.label(selected, label, on)}
        trigger={(props) => (
          <Button {...icon} busy={bulk.busy} aria-label={words('add')} title={words('add')} {...props}>
            <Tag className="size-4" aria-hidden />
          </Button>
        )}
      />
      <Menu
        label={t('snooze')}
        align="end"
        trigger={(props) => (
          <Button {...icon} busy={bulk.busy} aria-label={t('snooze')} title={t('snooze')} {...props}>
            <AlarmClock className="size-4" aria-hidden />
          </Button>
        )}
      >
        {times}
      </Menu>
      {dialog}
      <Button
        {...icon}
        busy={bulk.busy}
        aria-label={t('close')}
        title={t('close')}
        onClick={() => {
          bulk.close(selected)
          done()
        }}
      >
        <CircleCheck className="size-4" aria-hidden />
      </Button>
      <Button {...icon} aria-label={t('bulk.none')} title={t('bulk.none')} onClick={done}>
        <X className="size-4" aria-hidden />
      </Button>
    </section>
  )
}
