import { clsx } from 'clsx'
import { ListFilter, PanelRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import type { ShownPeriod } from './period.ts'
import { Tools, ViewSwitch } from './tools.tsx'
import type { useFold } from './use-fold.ts'

interface Props {
  period: ShownPeriod
  filtering: boolean
  /** Whether a filter is set. */
  isFiltered: boolean
  onFilter: () => void
  /** The fold of unscheduled drafts; null where it has no place or the person may not see it. */
  fold: ReturnType<typeof useFold> | null
}

/** The buttons of the calendar: its period and view, the filters, and the unscheduled drafts. */
export function CalendarActions({ period, filtering, isFiltered, onFilter, fold }: Props) {
  const t = useTranslations('calendar')
  const { view, previous, next } = period
  return (
    <>
      <Tools shown={view} previous={previous} next={next} />
      <span className="max-md:hidden">
        <ViewSwitch shown={view} />
      </span>
      <Toggle
        label={t('filter')}
        icon={<ListFilter className="size-4" aria-hidden />}
        open={filtering}
        marked={isFiltered}
        controls="calendar-filters"
        onClick={onFilter}
      />
      {fold && (
        <Toggle
          label={t('unscheduled')}
          icon={<PanelRight className="size-4 rtl:-scale-x-100" aria-hidden />}
          open={fold.open}
          onClick={fold.toggle}
        />
      )}
    </>
  )
}

interface ToggleProps {
  label: string
  icon: ReactNode
  open: boolean
  /** Whether it stands out while it is closed. */
  marked?: boolean
  controls?: string
  onClick: () => void
}

const Toggle = ({ label, icon, open, marked = false, controls, onClick }: ToggleProps) => (
  <Button
    variant="ghost"
    size="icon"
    aria-label={label}
    aria-expanded={open}
    aria-controls={controls}
    title={label}
    className={clsx((open || marked) && 'bg-hover')}
    onClick={onClick}
  >
    {icon}
  </Button>
)
