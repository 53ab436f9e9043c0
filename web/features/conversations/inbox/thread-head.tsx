import { AlarmClock, ArrowLeft, CircleCheck, Clock, Ellipsis, RotateCcw, TrendingUp, UserRound } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { shortcutsOn, useShortcuts, withKey } from '../../../shortcuts.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Keys } from '../../../ui/kbd.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine, MenuRadio } from '../../../ui/menu.tsx'
import { useMay } from '../../shell/workspace.tsx'
import { CustomerAvatar, useCustomerName } from './customer-avatar.tsx'
import { Assignees, usePeople } from './people.tsx'
import { type InboxSearch, URGENCIES } from './search.ts'
import { useSnooze } from './snooze.tsx'
import { useWindow } from './times.ts'
import { UrgencySign } from './urgency.tsx'
import { type ThreadActs, useThreadActs } from './use-acts.ts'

interface Props {
  thread: OpenThread
  /** Whether the panel of the customer is open on a narrow screen. */
  about: boolean
  onChange: (change: Partial<InboxSearch>) => void
  onDone: () => void
}

/** The thread's customer, its answer deadline, and its actions. */
export function ThreadHead({ thread, about, onChange, onDone }: Props) {
  const t = useTranslations('inbox')
  const may = useMay('closeConversation')
  const acts = useThreadActs(thread)
  const left = useWindow()(thread)
  const name = useCustomerName()(thread)
  const network = NETWORKS[thread.platform].short
  const closed = thread.status === 'CLOSED'
  const finish = () => {
    acts.close()
    onDone()
  }
  const buttonOf = (menu: string) => document.querySelector<HTMLElement>(`[data-menu=${menu}]`)
  const open = (menu: string) => {
    const button = buttonOf(menu)
    if (button?.checkVisibility()) button.click()
  }
  const watch = useRef<ResizeObserver>(null)
  useEffect(() => {
    if (!about) watch.current?.disconnect()
  }, [about])
  useEffect(() => () => watch.current?.disconnect(), [])
  /** Opens the labels. On a narrow screen, they are in a panel that opens first. */
  const openLabels = () => {
    const button = buttonOf('labels')
    if (!button || button.checkVisibility()) return button?.click()
    onChange({ about: true })
    watch.current?.disconnect()
    const observer = new ResizeObserver(() => {
      if (!button.checkVisibility()) return
      observer.disconnect()
      button.click()
    })
    observer.observe(button)
    watch.current = observer
  }
  const works = !may.hidden && !may.reason
  useShortcuts({
    Escape: () => onChange({ id: undefined, about: undefined }),
    ...(works && {
      e: closed ? acts.reopen : finish,
      a: () => open('assign'),
      h: () => open('snooze'),
      l: openLabels,
    }),
  })
  return (
    <header className="flex min-h-14 items-center gap-1 border-b px-1 lg:min-h-12 lg:ps-4 lg:pe-2">
      <Button
        variant="ghost"
        size="icon"
        className="lg:hidden"
        aria-label={t('back')}
        onClick={() => onChange({ id: undefined, about: undefined })}
      >
        <ArrowLeft className="size-5 rtl:rotate-180" aria-hidden />
      </Button>
      <CustomerAvatar thread={thread} className="size-8 max-sm:size-9" />
      <div className="ms-2 min-w-0 grow">
        <h2 className="clip text-13 font-semibold max-sm:text-base">
          <bdi>{name}</bdi>
        </h2>
        <p className="clip text-xs text-muted">
          <span className={left ? 'max-sm:hidden' : undefined}>
            {!thread.customer
              ? t('counted.on', { network })
              : thread.live
                ? t('liveOn', { network })
                : t(`kindsOn.${thread.kind}`, { network })}
          </span>
          {left && (
            <span className="sm:hidden">
              {t(`kinds.${thread.kind}`)}
              {t('and')}
              {left.text}
            </span>
          )}
        </p>
      </div>
      {left && (
        <span
          className="hidden shrink-0 items-center gap-1 px-1 text-xs text-muted tabular-nums sm:flex"
          title={left.until && t(left.state === 'closed' ? 'window.closedAt' : 'window.until', { until: left.until })}
        >
          <Clock className="size-3.5" aria-hidden />
          {left.text}
        </span>
      )}
      {!may.hidden && (
        <>
          <span className="max-sm:hidden">
            <AssignMenu thread={thread} acts={acts} reason={may.reason} />
          </span>
          {!closed && (
            <span className="max-sm:hidden">
              <SnoozeMenu acts={acts} reason={may.reason} onDone={onDone} />
            </span>
          )}
          {closed ? (
            <Button reason={may.reason} onClick={acts.reopen} aria-keyshortcuts="E" title={withKey(t('reopen'), 'E')}>
              <RotateCcw className="size-4" aria-hidden />
              {t('reopen')}
            </Button>
          ) : (
            <>
              <Button
                reason={may.reason}
                onClick={finish}
                aria-keyshortcuts="E"
                title={withKey(t('close'), 'E')}
                className="max-sm:hidden"
              >
                {t('close')}
                {shortcutsOn() && (
                  <span aria-hidden>
                    <Keys keys={['E']} />
                  </span>
                )}
              </Button>
              <Button
                variant="ghost"
                size="icon"
                reason={may.reason}
                aria-label={t('closeThread')}
                onClick={finish}
                className="sm:hidden"
              >
                <CircleCheck className="size-5" aria-hidden />
              </Button>
            </>
          )}
        </>
      )}
      <MoreMenu thread={thread} acts={acts} works={works} onChange={onChange} />
    </header>
  )
}

interface MenuProps {
  thread: OpenThread
  acts: ThreadActs
  reason: string | null
}

function AssignMenu({ thread: { assignee }, acts, reason }: MenuProps) {
  const t = useTranslations('inbox')
  const people = usePeople()
  const mine = people.find((one) => one.mine)?.id
  return (
    <Menu
      label={t('assign')}
      align="end"
      trigger={(props) => (
        <Button
          variant="ghost"
          reason={reason}
          {...props}
          data-menu="assign"
          aria-keyshortcuts="A"
          title={withKey(t('assign'), 'A')}
          className="max-w-36 px-1.5!"
        >
          {assignee ? <Avatar name={assignee.name} className="size-5" /> : <UserRound className="size-4" aria-hidden />}
          <span className="sr-only">{t('assign')}: </span>
          <bdi className="max-w-24 clip font-normal max-xl:sr-only">
            {assignee ? (assignee.id === mine ? t('you') : assignee.name) : t('nobody')}
          </bdi>
        </Button>
      )}
    >
      <Assignees assignee={assignee?.id ?? null} onAssign={acts.assign} />
    </Menu>
  )
}

function SnoozeMenu({ acts, reason, onDone }: Omit<MenuProps, 'thread'> & { onDone: () => void }) {
  const t = useTranslations('inbox')
  const { times, dialog } = useSnooze((until, when) => {
    acts.snooze(until, when)
    onDone()
  })
  return (
    <>
      <Menu
        label={t('snooze')}
        align="end"
        trigger={(props) => (
          <Button
            variant="ghost"
            size="icon"
            reason={reason}
            {...props}
            data-menu="snooze"
            aria-label={t('snooze')}
            aria-keyshortcuts="H"
            title={withKey(t('snooze'), 'H')}
          >
            <AlarmClock className="size-4" aria-hidden />
          </Button>
        )}
      >
        {times}
      </Menu>
      {dialog}
    </>
  )
}

/** The less common actions; on a phone, all of them. */
function MoreMenu({
  thread,
  acts,
  works,
  onChange,
}: Omit<MenuProps, 'reason'> & Pick<Props, 'onChange'> & { works: boolean }) {
  const t = useTranslations('inbox')
  const { times, dialog } = useSnooze((until, when) => {
    acts.snooze(until, when)
    onChange({ id: undefined })
  })
  return (
    <>
      <Menu
        label={t('more')}
        align="end"
        trigger={(props) => (
          <Button variant="ghost" size="icon" aria-label={t('moreActs')} title={t('moreActs')} {...props}>
            <Ellipsis className="size-4 max-sm:size-5" aria-hidden />
          </Button>
        )}
      >
        <MenuItem onSelect={() => onChange({ about: true })}>
          <UserRound className="size-4" aria-hidden />
          {t(thread.customer ? 'about' : 'counted.about')}
        </MenuItem>
        {works && (
          <>
            {thread.status === 'ESCALATED' ? (
              <MenuItem onSelect={acts.reopen}>
                <RotateCcw className="size-4" aria-hidden />
                {t('deescalate')}
              </MenuItem>
            ) : (
              thread.status !== 'CLOSED' && (
                <MenuItem onSelect={acts.escalate}>
                  <TrendingUp className="size-4 rtl:-scale-x-100" aria-hidden />
                  {t('escalate')}
                </MenuItem>
              )
            )}
            <MenuLine />
            <MenuGroup label={t('urgency')}>
              {URGENCIES.map((one) => (
                <MenuRadio key={one} checked={thread.urgency === one} onSelect={() => acts.setUrgency(one)}>
                  <span className="flex items-center gap-2">
                    <UrgencySign urgency={one} />
                    {t(`urgencies.${one}`)}
                  </span>
                </MenuRadio>
              ))}
            </MenuGroup>
            <div className="sm:hidden">
              <MenuGroup label={t('assign')}>
                <Assignees assignee={thread.assignee?.id ?? null} onAssign={acts.assign} />
              </MenuGroup>
              {thread.status !== 'CLOSED' && <MenuGroup label={t('snooze')}>{times}</MenuGroup>}
            </div>
          </>
        )}
      </Menu>
      {dialog}
    </>
  )
}
