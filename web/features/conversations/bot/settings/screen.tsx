import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { useProblemText } from '../../../../problem.ts'
import { isProblem } from '../../../../client.ts'
import { FormError } from '../../../../ui/field.tsx'
import { LeaveQuestion, useLeaveGuard } from '../../../../ui/leave-guard.tsx'
import { lazy } from '../../../../ui/part.tsx'
import { Loaded } from '../../../../ui/states.tsx'
import { Refused } from '../../../shell/refused.tsx'
import { refusal, useMay, usePlace } from '../../../shell/workspace.tsx'
import { configQuery } from '../queries.ts'
import { AnsweredBar } from '../stats/answered-bar.tsx'
import { Bar, PhoneBar, type BotView } from './bar.tsx'
import { KnowCard } from './know-card.tsx'
import { ModeCard } from './mode-card.tsx'
import { NeverCard } from './never-card.tsx'
import { PausedNote } from './pause.tsx'
import { useSentence } from './sentence.tsx'
import { SureCard } from './sure-card.tsx'
import { Theirs } from './theirs.tsx'
import { Unable } from './unable.tsx'
import { type CardProps, useSettings } from './use-settings.ts'
import { VoiceCard } from './voice-card.tsx'
import { WhenCard } from './when-card.tsx'

const Figures = lazy(() => import('../stats/figures.tsx'))
const TryIt = lazy(() => import('../try/try-it.tsx'))

/** The settings of the bot, phrased as questions. */
export function BotScreen() {
  const { ws, membership } = usePlace()
  const refused = refusal(membership, 'getBotConfig')
  const query = useQuery({ ...configQuery(ws), enabled: !refused })
  if (refused) return <Refused refused={refused} />
  return (
    <Loaded query={query} skeleton={<Skeleton />}>
      {(config) => <Settings config={config} />}
    </Loaded>
  )
}

/** The paths of errors that a card shows next to the field. */
const SHOWN = [
  '/blockedTopics',
  '/brandVoiceId',
  '/disclosureText',
  '/draftsOnlyUntil',
  '/escalateKeywords',
  '/faqEntries',
  '/handoffText',
  '/knowledgeBase',
  '/maxAutoRepliesPerThread',
  '/workingHoursEnd',
  '/workingHoursStart',
  '/workingTimezone',
]

function Settings({ config }: { config: BotConfig }) {
  const t = useTranslations('bot')
  const problem = useProblemText()
  const may = useMay('updateBotConfig')
  const mayTry = useMay('simulateReplies')
  const [view, setView] = useState<BotView>('settings')
  const sentence = useSentence()
  const settings = useSettings(config)
  const { now, base, set, fault, changed, error } = settings
  const fixed = may.hidden || may.reason !== null
  const card: CardProps = { now, set, fixed, fault }
  const guard = useLeaveGuard(changed > 0)
  const isBeside = isProblem(error, 'validation_failed') && error.errors.every(({ path }) => SHOWN.includes(path))
  return (
    <div className="@container flex min-w-0 grow flex-col bg-bg">
      <Bar settings={settings} fixed={fixed} view={view} mayTry={!mayTry.hidden && !mayTry.reason} onView={setView} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 py-4 lg:px-6">
        <div className="grid max-w-4xl gap-1">
          {changed > 0 && <p className="text-xs font-medium text-warn">{t('onceSaved')}</p>}
          <p className="text-xl tracking-tight text-pretty text-muted max-sm:text-base max-sm:leading-7">
            {sentence(now)}
          </p>
          {may.hidden && <p className="text-xs text-muted">{t('readOnly')}</p>}
          {view !== 'figures' && <AnsweredBar />}
        </div>
        {now.paused && <PausedNote />}
        {now.isEnabled && <Unable />}
        <Theirs settings={settings} />
        {error && <FormError>{isBeside ? t('faulty') : problem(error)}</FormError>}
        {view === 'figures' && (
          <Suspense fallback={<div className="skeleton h-64" aria-hidden />}>
            <Figures />
          </Suspense>
        )}
        {view === 'try' && (
          <Suspense fallback={<div className="skeleton h-64" aria-hidden />}>
            <TryIt now={now} saved={base} />
          </Suspense>
        )}
        {/* Stays mounted during a trial, to keep its expanded sections and input. */}
        <div
          hidden={view !== 'settings'}
          className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 [[hidden]]:hidden @4xl:grid-cols-[minmax(0,1fr)_minmax(0,26.5rem)]"
        >
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <ModeCard {...card} />
            <SureCard {...card} />
            <WhenCard {...card} />
            <VoiceCard {...card} />
          </div>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <KnowCard {...card} base={base} changed={changed} />
            {/* Comes last: leaving its field may add a word, which makes the card taller and would move anything below. */}
            <NeverCard {...card} />
          </div>
        </div>
      </div>
      {!fixed && <PhoneBar settings={settings} />}
      <LeaveQuestion guard={guard} />
    </div>
  )
}

const Skeleton = () => (
  <div className="grid gap-4 p-6" aria-hidden>
    <div className="skeleton h-7 w-3/4" />
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="skeleton h-48" />
      <div className="skeleton h-48" />
      <div className="skeleton h-40" />
      <div className="skeleton h-64" />
    </div>
  </div>
)
