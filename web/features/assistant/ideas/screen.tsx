import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarOff, Clock, Hash, Lightbulb, type LucideIcon, PenLine, RefreshCw, Repeat2 } from 'lucide-react'
import { useLocale, useTranslations } from 'use-intl'
import type { Suggestion } from '../../../../src/assistant/ai/api.ts'
import { COSTS } from '../../../../src/assistant/ai/rules.ts'
import { call, ProblemError } from '../../../client.ts'
import { usageQuery } from '../../../queries.ts'
import { wallTime } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { NetworkMark } from '../../../ui/network.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { outcomeOf } from '../ai/ask.ts'
import { AskButton } from '../ai/cost.tsx'
import { useLanguageName } from '../ai/languages.ts'
import { Trouble } from '../ai/parts.tsx'
import { suggestionsQuery } from '../ai/queries.ts'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'

const ICONS: Record<Suggestion['kind'], LucideIcon> = {
  topic: Lightbulb,
  gap: CalendarOff,
  repost: Repeat2,
  hashtag: Hash,
  time: Clock,
}

/** Suggestions for the next posts, best first. */
export function IdeasScreen() {
  const t = useTranslations('ideas')
  const { ws, membership, workspace } = usePlace()
  const nicheless = !workspace.niche && !refusal(membership, 'updateWorkspace')
  const refused = refusal(membership, 'listSuggestions')
  const query = useQuery({ ...suggestionsQuery(ws), enabled: !refused })
  const refresh = useRefresh()
  const button = !refused && !refusal(membership, 'refreshSuggestions') && (
    <AskButton
      secondary
      operation="refreshSuggestions"
      cost={COSTS.suggestions}
      busy={refresh.isPending}
      icon={<RefreshCw className="size-4" aria-hidden />}
      label={t('refresh')}
      onAsk={() => refresh.mutate()}
    />
  )
  return (
    <Page title={t('title')}>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
        {refused ? (
          <Refused refused={refused} />
        ) : (
          <>
            <p className="text-13 text-muted">{t('lead')}</p>
            <OtherLanguage />
            {query.data?.length !== 0 && button}
            {refresh.error && <Trouble error={refresh.error} />}
            <Loaded query={query} skeleton={<Skeleton />}>
              {(ideas) =>
                ideas.length === 0 ? (
                  <Empty
                    icon={Lightbulb}
                    title={t('none')}
                    actions={
                      <>
                        {nicheless && (
                          <Link to="/w/$ws/settings" params={{ ws }} className={buttonClass('primary')}>
                            {t('sayNiche')}
                          </Link>
                        )}
                        {button}
                      </>
                    }
                  >
                    {t(nicheless ? 'noneNiche' : 'noneBody')}
                  </Empty>
                ) : (
                  <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
                    {ideas.map((idea) => (
                      <Idea key={idea.id} idea={idea} />
                    ))}
                  </ul>
                )
              }
            </Loaded>
          </>
        )}
      </div>
    </Page>
  )
}

/** Suggestions are in the language of the posts, whatever the language of the screen. */
function OtherLanguage() {
  const t = useTranslations('ideas')
  const { ws, membership, workspace } = usePlace()
  const locale = useLocale()
  const languageName = useLanguageName()
  if (new Intl.Locale(locale).language === workspace.language) return null
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-13 text-muted">
      <span>{t('otherLanguage', { language: languageName(workspace.language) })}</span>
      {!refusal(membership, 'updateWorkspace') && (
        <Link
          to="/w/$ws/settings"
          params={{ ws }}
          className="inline-flex min-h-6 items-center font-medium text-accent-text underline max-sm:min-h-11"
        >
          {t('changeLanguage')}
        </Link>
      )}
    </p>
  )
}

function Idea({ idea: { id, kind, title, reason, brief, scheduledAt } }: { idea: Suggestion }) {
  const t = useTranslations('ideas')
  const { ws, membership, workspace } = usePlace()
  const at =
    scheduledAt && new Date(scheduledAt) > new Date() ? wallTime(new Date(scheduledAt), workspace.timezone) : null
  const Icon = ICONS[kind]
  return (
    <li className="card grid grid-cols-[minmax(0,1fr)] gap-2 p-4">
      <p className="flex items-center gap-1.5 text-xs font-medium text-muted">
        <Icon className="size-3.5" aria-hidden />
        {t(`kinds.${kind}`)}
        {brief.platform && <NetworkMark platform={brief.platform} label small />}
      </p>
      <h2 dir="auto" className="text-sm font-semibold break-words">
        {title}
      </h2>
      <p dir="auto" className="text-13 break-words text-muted">
        {reason}
      </p>
      {!refusal(membership, 'createPost') && (
        <Link
          to="/w/$ws/compose"
          params={{ ws }}
          search={{ idea: id, ...(at && { at }) }}
          aria-label={t('startWith', { title })}
          className={buttonClass('secondary', 'sm', 'mt-1 justify-self-start')}
        >
          <PenLine className="size-3.5" aria-hidden />
          {t('start')}
        </Link>
      )}
    </li>
  )
}

function useRefresh() {
  const t = useTranslations('ideas')
  const client = useQueryClient()
  const { ws } = usePlace()
  return useMutation({
    mutationFn: async () => {
      const answer = await call('refreshSuggestions', { workspace: ws })
      if (!('kind' in answer)) return
      // The response arrives before the generation ends.
      const { error } = await outcomeOf(ws, answer.id, new AbortController().signal)
      if (error) throw new ProblemError(502, { code: error.code, detail: error.message })
    },
    onSuccess: () => toast.success(t('refreshed')),
    onSettled: () => {
      for (const { queryKey } of [suggestionsQuery(ws), usageQuery(ws)]) void client.invalidateQueries({ queryKey })
    },
  })
}

const Skeleton = () => (
  <div className="grid gap-3" aria-hidden>
    <div className="skeleton h-28" />
    <div className="skeleton h-28" />
    <div className="skeleton h-28" />
  </div>
)
