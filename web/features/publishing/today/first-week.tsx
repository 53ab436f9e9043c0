import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { call } from '../../../client.ts'
import { accountsQuery, live } from '../../../queries.ts'
import { readStored, writeStored } from '../../../storage.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Meter } from '../../../ui/meter.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { invitationsQuery, membersQuery } from '../../team/members/queries.ts'
import { slotsQuery } from '../queue/queries.ts'
import { Section } from './section.tsx'

const keyOf = (ws: string) => `parley.firstWeek.${ws}`

/** Whether a post exists, optionally with a status. */
const anyPostQuery = (ws: string, status?: string) => ({
  ...live,
  queryKey: [ws, 'posts', 'any', status],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await call('listPosts', { workspace: ws, query: { limit: 1, status }, signal })).data.length > 0,
})

/** The progress of the first steps; undefined while loading. */
function useSteps() {
  const { ws } = usePlace()
  const accounts = useQuery(accountsQuery(ws)).data
  const written = useQuery(anyPostQuery(ws)).data
  const published = useQuery(anyPostQuery(ws, 'PUBLISHED,PARTIALLY_PUBLISHED')).data
  const slots = useQuery(slotsQuery(ws)).data
  const members = useInfiniteQuery(membersQuery(ws)).data?.pages[0]?.data
  const invited = useQuery(invitationsQuery(ws)).data
  if (!accounts || !slots || !members || !invited || written === undefined || published === undefined) return undefined
  return [
    { step: 'connect', done: accounts.length > 0, to: '/w/$ws/accounts' },
    { step: 'write', done: written, to: '/w/$ws/compose' },
    { step: 'publish', done: published, to: '/w/$ws/posts' },
    { step: 'times', done: slots.slots.length > 0, to: '/w/$ws/settings/queue' },
    { step: 'invite', done: members.length > 1 || invited.length > 0, to: '/w/$ws/settings/members' },
  ] as const
}

/**
 * The first steps in a workspace. They complete automatically, and disappear once all are done or the person hides
 * them.
 */
export function FirstWeek() {
  const { ws } = usePlace()
  const [hidden, setHidden] = useState(() => readStored(keyOf(ws)) === 'hidden')
  if (hidden) return null
  return (
    <Steps
      onHide={() => {
        writeStored(keyOf(ws), 'hidden')
        setHidden(true)
      }}
    />
  )
}

function Steps({ onHide }: { onHide: () => void }) {
  const t = useTranslations('today')
  const words = useTranslations('today.steps')
  const { ws } = usePlace()
  const steps = useSteps()
  const done = steps?.filter((one) => one.done).length ?? 0
  if (!steps || done === steps.length) return null
  const next = steps.find((one) => !one.done)
  const far = t('stepsDone', { done, all: steps.length })
  const action = (
    <button type="button" onClick={onHide}>
      {t('hide')}
    </button>
  )
  return (
    <Section title={t('firstWeek')} action={action}>
      <div className="rounded-lg border px-4 pt-3 pb-2">
        <div className="flex items-center gap-3 pb-2">
          <Meter label={t('firstWeek')} value={done} max={steps.length} text={far} tone="ok" />
          <span className="text-xs text-muted tabular-nums">{far}</span>
        </div>
        <ul>
          {steps.map(({ step, done: isDone, to }) => (
            <li key={step} className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11">
              <Tick done={isDone} />
              {isDone ? (
                <span className="min-w-0 grow text-faint">
                  {words(step)} <span className="sr-only">({t('done')})</span>
                </span>
              ) : (
                <span className={step === next?.step ? 'min-w-0 grow font-medium' : 'min-w-0 grow text-muted'}>
                  {words(step)}
                </span>
              )}
              {step === next?.step && (
                <Link to={to} params={{ ws }} className={buttonClass('secondary', 'sm')}>
                  {t(`stepActs.${step}`)}
                </Link>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}

const Tick = ({ done }: { done: boolean }) => (
  <span
    aria-hidden
    className={
      done
        ? 'grid size-4 shrink-0 place-items-center rounded-full bg-ok text-surface'
        : 'size-4 shrink-0 rounded-full border-[1.5px] border-line-strong'
    }
  >
    {done && <Check className="size-2.5" strokeWidth={3.5} />}
  </span>
)
