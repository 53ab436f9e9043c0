import { CalendarClock, CalendarPlus, ChevronDown, type LucideIcon, Send, ShieldCheck } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import { MOD } from '../../../ui/kbd.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { lazy } from '../../../ui/part.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { useLastWay, type SendWay } from './ways.ts'

// Loaded when the menu opens.
const NextSlot = lazy(() => import('../queue/next-slot.tsx'))

const ICONS: Record<SendWay, LucideIcon> = {
  schedule: CalendarClock,
  queue: CalendarPlus,
  publish: Send,
  submit: ShieldCheck,
}

interface Props {
  ways: readonly SendWay[]
  labels: Record<SendWay, string>
  /** The chosen time, if any, shown below the label on a phone. */
  time: string | null
  busy: boolean
  reason: string | null
  queued: { accountIds: readonly string[]; postId: string | undefined }
  onTake: (way: SendWay) => void
}

/** Sends the post in the way that the person last used, but never publishes it now. A menu offers the others. */
export function SendButton({ ways, labels, time, busy, reason, queued, onTake }: Props) {
  const t = useTranslations('composer')
  const { ws } = usePlace()
  const [first, remember] = useLastWay(ws, ways)
  if (!first) return null
  const Icon = ICONS[first]
  const several = ways.length > 1
  const takeFromMenu = (way: SendWay) => {
    remember(way)
    onTake(way)
  }
  return (
    <div className="flex max-md:min-w-0 max-md:grow">
      <Button
        variant="primary"
        className={`max-md:min-h-12 max-md:min-w-0 max-md:shrink max-md:grow max-md:whitespace-normal ${several ? 'rounded-e-none' : ''}`}
        busy={busy}
        reason={reason}
        {...(first === 'schedule' && {
          title: `${labels.schedule} (${MOD} ↵)`,
          'aria-keyshortcuts': 'Meta+Enter Control+Enter',
        })}
        onClick={() => onTake(first)}
      >
        <Icon className="size-4 shrink-0 max-md:hidden" aria-hidden />
        <span className="grid justify-items-center">
          {labels[first]}
          {time && first === 'schedule' && (
            <span className="text-2xs leading-3.5 font-medium md:hidden" aria-hidden>
              {time}
            </span>
          )}
        </span>
      </Button>
      {several && (
        <Menu
          label={t('ways')}
          align="end"
          trigger={(props) => (
            <Button
              variant="primary"
              aria-label={t('ways')}
              title={t('ways')}
              className="rounded-s-none border-s border-on-accent/30 px-1.5 max-md:min-h-12 max-md:min-w-11"
              {...props}
            >
              <ChevronDown className="size-4" aria-hidden />
            </Button>
          )}
        >
          {ways.map((way) =>
            way === 'queue' ? (
              <Suspense key={way}>
                <NextSlot queued={queued}>
                  {(text) => <WayItem way="queue" text={text} onTake={() => takeFromMenu(way)} />}
                </NextSlot>
              </Suspense>
            ) : (
              <WayItem key={way} way={way} text={labels[way]} onTake={() => takeFromMenu(way)} />
            ),
          )}
        </Menu>
      )}
    </div>
  )
}

function WayItem({ way, text, onTake }: { way: SendWay; text: string; onTake: () => void }) {
  const Icon = ICONS[way]
  return (
    <MenuItem onSelect={onTake}>
      <Icon className="size-4 shrink-0" aria-hidden />
      {text}
    </MenuItem>
  )
}
