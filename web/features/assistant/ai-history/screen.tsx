import { Link } from '@tanstack/react-router'
import { Copy, History } from 'lucide-react'
import { useId, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Platform } from '../../../../src/networks/api.ts'
import type { Generation, Kind } from '../../../../src/assistant/ai/api.ts'
import { COSTS } from '../../../../src/assistant/ai/rules.ts'
import { ProblemError } from '../../../client.ts'
import { fileUrl } from '../../../files.ts'
import { useMaybe } from '../../../i18n.tsx'
import { NETWORKS } from '../../../labels.ts'
import { Button } from '../../../ui/button.tsx'
import { More } from '../../../ui/more.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useLanguageName } from '../ai/languages.ts'
import { DroppedNote, OptionText, Trouble, useCopy } from '../ai/parts.tsx'
import { Refused } from '../../shell/refused.tsx'
import { refusal, usePlace } from '../../shell/workspace.tsx'
import { DAY_TIME } from '../../../time.ts'
import { BotLine } from './bot-line.tsx'
import { useHistory, type HistoryFilter } from './use-history.ts'

const KINDS = Object.keys(COSTS) as Kind[]

/** The AI requests of the workspace by people and of the bot, each with time, cost and result. */
export function AiHistoryScreen() {
  const t = useTranslations('aiHistory')
  const { membership } = usePlace()
  const [kind, setKind] = useState<HistoryFilter>('')
  const refused = refusal(membership, 'listGenerations')
  const { hasBot, query } = useHistory(kind)
  if (refused) return <Refused refused={refused} />
  return (
    <div className="settings-column gap-4">
      <p className="text-13 text-muted">{t('lead')}</p>
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={t('what')}
          className="min-w-44"
          value={kind}
          options={[
            ['', t('everything')],
            ...KINDS.map((one) => [one, t(`kinds.${one}`)] as const),
            ...(hasBot ? [['bot', t('byBot')] as const] : []),
          ]}
          onChange={setKind}
        />
      </div>
      <Loaded query={query} skeleton={<div className="skeleton h-64" aria-hidden />}>
        {(all) => {
          if (all.length === 0)
            return (
              <Empty
                icon={History}
                title={kind ? t('noneMatch') : t('none')}
                actions={kind && <Button onClick={() => setKind('')}>{t('clear')}</Button>}
              >
                {kind ? undefined : t('noneBody')}
              </Empty>
            )
          return (
            <>
              <ul className="card grid grid-cols-[minmax(0,1fr)] divide-y">
                {all.map((one) =>
                  'decision' in one ? (
                    <BotLine key={one.decision.id} decision={one.decision} />
                  ) : (
                    <Line key={one.generation.id} generation={one.generation} />
                  ),
                )}
              </ul>
              <More query={query} label={t('more')} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

/** The request, as it was typed. */
function questionOf({ input }: Generation): string {
  for (const key of ['topic', 'prompt', 'instruction', 'caption', 'goal', 'niche'] as const) {
    const value = input[key]
    if (typeof value === 'string' && value) return value
  }
  return ''
}

/** The wishes of a request in the reader's language, to tell similar requests apart. */
function useWishes({
  input: { change, platform, tone, length, targetLanguage, language = targetLanguage },
}: Generation): string[] {
  const maybe = useMaybe()
  const nameOf = useLanguageName()
  const named = [
    typeof change === 'string' && maybe(`ai.changes.${change}`, change),
    typeof platform === 'string' && NETWORKS[platform as Platform].name,
    typeof tone === 'string' && maybe(`ai.tones.${tone}`, tone),
    typeof length === 'string' && maybe(`ai.lengths.${length}`, length),
    typeof language === 'string' && nameOf(language),
  ]
  return named.filter((word) => word !== false)
}

function Line({ generation }: { generation: Generation }) {
  const t = useTranslations('aiHistory')
  const ai = useTranslations('ai')
  const format = useFormatter()
  const { workspace } = usePlace()
  const [open, setOpen] = useState(false)
  const id = useId()
  const { kind, status, options, media, voice, credits, createdBy, createdAt } = generation
  const holds = options.length > 0 || media !== null || voice !== null || generation.error !== null
  const asked = questionOf(generation)
  const wishes = useWishes(generation)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-2.5 text-13">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="grid min-w-0 grow basis-48 gap-0.5">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{t(`kinds.${kind}`)}</span>
            {wishes.map((wish) => (
              <bdi key={wish}>{wish}</bdi>
            ))}
            <span className={status === 'FAILED' ? 'text-bad' : 'text-muted'}>{t(`states.${status}`)}</span>
          </p>
          {asked && (
            <p dir="auto" className="clip text-muted">
              {asked}
            </p>
          )}
          <p className="flex flex-wrap gap-x-3 text-xs text-muted">
            <bdi>{createdBy ? createdBy.name : t('byItself')}</bdi>
            <time dateTime={createdAt}>
              {format.dateTime(new Date(createdAt), {
                ...DAY_TIME,
                timeZone: workspace.timezone,
              })}
            </time>
            <span className="tabular-nums">{ai('cost', { count: credits })}</span>
          </p>
        </div>
        {holds && (
          <Button size="sm" aria-expanded={open} aria-controls={open ? id : undefined} onClick={() => setOpen(!open)}>
            {open ? t('close') : t('open')}
          </Button>
        )}
      </div>
      {open && (
        <div id={id} className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-1">
          <Content generation={generation} />
        </div>
      )}
    </li>
  )
}

function Content({
  generation: { kind, status, options, media, voice, error, asked, dropped, postId },
}: {
  generation: Generation
}) {
  const t = useTranslations('aiHistory')
  const ai = useTranslations('ai')
  const { ws } = usePlace()
  const copy = useCopy()
  return (
    <>
      {error && <Trouble error={new ProblemError(502, { code: error.code, detail: error.message })} />}
      {status === 'SUCCEEDED' && options.length > 0 && (
        <DroppedNote asked={asked} came={options.length} dropped={dropped} />
      )}
      {options.map((option) => (
        <div key={option.text} className="flex flex-wrap items-start gap-2 rounded-lg border p-3">
          <div className="min-w-0 grow basis-48">
            <OptionText option={option} kind={kind} />
          </div>
          <Button size="sm" variant="ghost" onClick={() => void copy(option)}>
            <Copy className="size-3.5" aria-hidden />
            {ai('copy')}
          </Button>
        </div>
      ))}
      {media?.thumbnailUrl && (
        <img src={fileUrl(media.thumbnailUrl)} alt={media.altText || media.fileName} className="max-h-40 rounded-lg" />
      )}
      {media && (
        <Link to="/w/$ws/media" params={{ ws }} className="text-accent-text underline">
          {t('inLibrary')}
        </Link>
      )}
      {voice && (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {[voice.toneAttributes.join(' · '), voice.writingStyle].filter(Boolean).join('\n')}
        </p>
      )}
      {postId && (
        <Link to="/w/$ws/posts/$id" params={{ ws, id: postId }} className="text-accent-text underline">
          {t('openPost')}
        </Link>
      )}
    </>
  )
}
