import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Check, Copy, GitCompareArrows, LoaderCircle, RotateCcw, Square } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../src/networks/api.ts'
import type { Kind, Option } from '../../../src/assistant/ai/api.ts'
import { COSTS } from '../../../src/assistant/ai/rules.ts'
import type { MediaFile } from '../../../src/publishing/media/api.ts'
import { countText, factsOf } from '../../../src/networks/rules.ts'
import { type AccountTagging, compose, kindOf } from '../../../src/publishing/posts/compose/rules.ts'
import { isProblem } from '../../client.ts'
import { fileUrl } from '../../files.ts'
import { NETWORKS } from '../../labels.ts'
import { mediaQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { NetworkMark } from '../../ui/network.tsx'
import { lazy } from '../../ui/part.tsx'
import type { Asking } from './ai/ask.ts'
import { DroppedNote, OptionText, Trouble, useCopy } from './ai/parts.tsx'
import { AskButton } from './ai/cost.tsx'
import { type Asked, isWorking } from './ai/use-asks.ts'
import type { Draft, Tab } from '../publishing/composer/draft.ts'
import { standing, wholeText, withOption } from './apply.ts'
import type { AssistantMode } from './form-parts.tsx'
import type { useUsedOptions } from './use-used-options.ts'

// Loaded when the person compares texts.
const Words = lazy(async () => ({ default: (await import('../publishing/approvals/difference.tsx')).Words }))

/** Problems that repeating a request cannot fix. */
const FINAL = ['quota_exceeded', 'feature_not_in_plan', 'ai_not_configured'] as const

/** The form and the tab of a request, and the tab that its answer is for. */
export interface About {
  mode: AssistantMode
  from: Tab
  tab: Tab
}

/** Whether the request is for one network of several. */
const isVariant = ({ from, tab }: About) => tab !== from

/** What each operation produces. */
const KIND_OF: Record<Asking, Kind> = {
  generateCaption: 'caption',
  rewriteCaption: 'rewrite',
  generateHashtags: 'hashtags',
  generateCta: 'cta',
  translateCaption: 'translate',
  generateImage: 'image',
  suggestVoice: 'voice',
  generateAltText: 'alt_text',
}

interface Props {
  asked: Asked<About>
  draft: Draft
  platforms: Platform[]
  tagging: AccountTagging
  uses: ReturnType<typeof useUsedOptions>
  onUsed: (key: string, isVariant: boolean) => void
  onPicture: (file: MediaFile) => void
  onPictureBack: (id: string) => void
  onStop: () => void
  onSkip: () => void
  onAgain: () => void
}

/** The results of one request, while it runs and afterwards. */
export function Result(props: Props) {
  const t = useTranslations('assistant')
  const { asked, onStop, onSkip, onAgain } = props
  const { about, question, state, slow, outcome, options, error } = asked
  const kind = KIND_OF[question.operation]
  const working = isWorking(asked)
  const wanted = 'count' in question.body && kind !== 'hashtags' ? (question.body.count ?? 3) : null
  return (
    <section
      className="grid grid-cols-[minmax(0,1fr)] gap-2"
      aria-label={isVariant(about) && about.tab !== 'all' ? NETWORKS[about.tab].name : t('answers')}
    >
      {isVariant(about) && (
        <h3 className="flex items-center gap-2 text-13 font-medium">
          {about.tab === 'all' ? (
            t('allNetworks')
          ) : (
            <>
              <NetworkMark platform={about.tab} small />
              {NETWORKS[about.tab].name}
            </>
          )}
          {!working && (
            <Button variant="ghost" size="sm" className="ms-auto" onClick={onSkip}>
              {t('skip')}
            </Button>
          )}
        </h3>
      )}
      {working && (
        <div className="flex flex-wrap items-center gap-2 text-13 text-muted">
          <LoaderCircle className="size-4 motion-safe:animate-spin" aria-hidden />
          <span className="grow">
            {wanted !== null && options.length > 0
              ? t('someOf', { count: options.length, wanted })
              : t(kind === 'image' ? 'drawing' : 'writing')}
          </span>
          <Button size="sm" onClick={onStop}>
            <Square className="size-3.5" aria-hidden />
            {t('stop')}
          </Button>
        </div>
      )}
      {working && slow && <p className="text-xs text-muted">{t('slow')}</p>}
      {state === 'stopped' && (
        <p className="text-13 text-muted">{outcome ? t('stopped', { count: outcome.credits }) : t('stopping')}</p>
      )}
      {state === 'failed' && <Trouble error={error} />}
      {outcome && state === 'done' && kind !== 'image' && (
        <DroppedNote asked={outcome.asked} came={outcome.options.length} dropped={outcome.dropped} />
      )}
      {kind === 'image'
        ? outcome?.media && <PictureCard {...props} file={outcome.media} />
        : options.length > 0 &&
          (isRightAsItIs(asked) ? (
            <p className="text-13 text-muted">{t('nothingToCorrect')}</p>
          ) : (
            <Options {...props} kind={kind} />
          ))}
      {(state === 'failed' || state === 'stopped') && !isProblem(error, ...FINAL) && (
        <AskButton
          secondary
          operation={question.operation}
          cost={COSTS[kind]}
          icon={<RotateCcw className="size-4" aria-hidden />}
          label={t('again')}
          onAsk={onAgain}
        />
      )}
    </section>
  )
}

/** Whether the spelling was already correct: an unchanged text is not worth offering. */
const isRightAsItIs = ({ question: { operation, body }, options }: Asked<About>) =>
  operation === 'rewriteCaption' && body.change === 'spelling' && options[0]?.text === body.caption.trim()

/** For a variant, shows only the best option at first, because the person decides once per network. */
function Options(props: Props & { kind: Kind }) {
  const t = useTranslations('assistant')
  const { asked } = props
  const [all, setAll] = useState(false)
  const rest = isVariant(asked.about) && !all ? asked.options.length - 1 : 0
  return (
    <>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {asked.options.slice(0, asked.options.length - rest).map((option, index) => (
          // The order changes once all options are here, so the key is an option's content.
          <OptionCard key={`${option.text} ${option.hashtags?.join(' ')}`} {...props} option={option} index={index} />
        ))}
      </ol>
      {rest > 0 && (
        <div>
          <Button variant="ghost" size="sm" onClick={() => setAll(true)}>
            {t('others', { count: rest })}
          </Button>
        </div>
      )}
    </>
  )
}

function OptionCard({
  asked,
  draft,
  platforms,
  tagging,
  uses,
  onUsed,
  kind,
  option,
  index,
}: Props & { kind: Kind; option: Option; index: number }) {
  const t = useTranslations('assistant')
  const copy = useCopy()
  const [comparing, setComparing] = useState(false)
  const { tab } = asked.about
  const write = (to: Draft) => withOption(to, tab, kind, option)
  const written = write(draft)
  // The final order, and so each option's index, is known only when the request has ended.
  const done = !isWorking(asked) && (asked.outcome !== null || asked.state === 'failed')
  const key = `${asked.key} ${index}`
  const last = uses.lastOf(tab)
  const inUse = last?.key === key
  const left = inUse ? standing(draft, last) : 'none'
  const use = () => {
    const said = asked.outcome && { generation: asked.outcome.id, option: index }
    uses.begin({ key, tab, said }, write)
    setComparing(false)
    onUsed(key, isVariant(asked.about))
  }
  return (
    <li className={clsx('card grid grid-cols-[minmax(0,1fr)] gap-2 p-3', inUse && 'border-accent')}>
      {comparing ? (
        <p dir="auto" className="text-13 break-words whitespace-pre-wrap">
          <Suspense fallback={option.text}>
            <Words before={wholeText(draft, tab)} after={wholeText(written, tab)} />
          </Suspense>
        </p>
      ) : (
        <OptionText option={option} kind={kind} />
      )}
      <Counts draft={written} platforms={tab === 'all' ? platforms : [tab]} tagging={tagging} />
      {done && option.reasons.length > 0 && (
        <p className="text-xs text-muted">
          <span className="sr-only">{t('because')} </span>
          {option.reasons.map((reason) => t(`reasons.${reason}`)).join(' · ')}
        </p>
      )}
      {inUse && left !== 'all' && (
        <p role="status" className="text-xs text-muted">
          {t(left === 'part' ? 'changedInPart' : 'changedSince')}
        </p>
      )}
      <div className="flex flex-wrap gap-1">
        {left !== 'none' ? (
          <TakeBack onClick={() => uses.takeBack(key)} />
        ) : (
          <Button size="sm" variant="primary" reason={done ? null : t('notYet')} onClick={use}>
            {t('use')}
          </Button>
        )}
        {left === 'none' && (
          <Button
            size="sm"
            variant="ghost"
            className="aria-pressed:bg-accent-soft"
            aria-pressed={comparing}
            onClick={() => setComparing(!comparing)}
          >
            <GitCompareArrows className="size-3.5" aria-hidden />
            {t('preview')}
          </Button>
        )}
        <Button size="sm" variant="ghost" onClick={() => void copy(option)}>
          <Copy className="size-3.5" aria-hidden />
          {t('copy')}
        </Button>
      </div>
    </li>
  )
}

/** The length of the whole text on each network, with the limit. */
function Counts({ draft, platforms, tagging }: { draft: Draft; platforms: Platform[]; tagging: AccountTagging }) {
  const composer = useTranslations('composer')
  const rows = platforms.flatMap((platform) => {
    const { textLimit: limit, countedIn } = factsOf(platform, kindOf(draft, platform))
    if (limit === 0) return []
    return { platform, used: countText(compose(draft, platform, tagging).text, countedIn), limit }
  })
  if (rows.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted tabular-nums">
      {rows.map(({ platform, used, limit }) => (
        <span key={platform} className={clsx('flex items-center gap-1.5', used > limit && 'font-semibold text-bad')}>
          <NetworkMark platform={platform} small />
          <span className="sr-only">{NETWORKS[platform].name}</span>
          {composer('usedOf', { used, limit })}
        </span>
      ))}
    </p>
  )
}

function TakeBack({ onClick }: { onClick: () => void }) {
  const t = useTranslations('assistant')
  return (
    <Button size="sm" onClick={onClick}>
      <Check className="size-3.5 text-ok" aria-hidden />
      {t('inUse')} · {t('undo')}
    </Button>
  )
}

function PictureCard({
  file,
  draft,
  onPicture,
  onPictureBack,
}: Pick<Props, 'draft' | 'onPicture' | 'onPictureBack'> & { file: MediaFile }) {
  const t = useTranslations('assistant')
  const composer = useTranslations('composer')
  const inUse = draft.media.some(({ mediaFileId }) => mediaFileId === file.id)
  // The picture shows only after it has passed the same processing as every upload.
  const { data: seen = file } = useQuery(mediaQuery(file.workspaceId, file.id))
  return (
    <div className="card grid grid-cols-[minmax(0,1fr)] gap-2 p-3">
      {seen.storageUrl === null ? (
        <div className="skeleton h-40 w-full" aria-hidden />
      ) : (
        <img
          src={fileUrl(seen.storageUrl)}
          alt={seen.altText || seen.fileName}
          width={seen.width ?? undefined}
          height={seen.height ?? undefined}
          className="h-auto w-full rounded-lg"
        />
      )}
      <p className="text-xs text-muted">{composer('aiMade')}</p>
      <div>
        {inUse ? (
          <TakeBack onClick={() => onPictureBack(file.id)} />
        ) : (
          <Button size="sm" variant="primary" onClick={() => onPicture(seen)}>
            {t('addPicture')}
          </Button>
        )}
      </div>
    </div>
  )
}
