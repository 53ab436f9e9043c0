import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Sparkles, Square, X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import {
  type ComponentType,
  createElement,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../src/networks/api.ts'
import type { MediaFile } from '../../../src/publishing/media/api.ts'
import type { AccountTagging } from '../../../src/publishing/posts/compose/rules.ts'
import { NETWORKS } from '../../labels.ts'
import { useProblemText } from '../../problem.ts'
import { configQuery } from '../../queries.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { mediaHook } from '../../ui/media.ts'
import { useNoAsk } from './ai/cost.tsx'
import { suggestionsQuery } from './ai/queries.ts'
import { type Asked, isWorking, useAsks } from './ai/use-asks.ts'
import { captionIn, type Draft, type Tab, withoutMedia } from '../publishing/composer/draft.ts'
import { refusal, usePlace } from '../shell/workspace.tsx'
import { type FormProps, type ForTab, type AssistantMode, Note, nothingTyped, type Typed } from './form-parts.tsx'
import { ChangeForm, CtaForm, HashtagsForm, TranslateForm, WriteForm } from './forms.tsx'
import { ImageForm } from './image-form.tsx'
import { type About, Result } from './results.tsx'
import { useAddedToast } from './use-added-toast.ts'
import { useUsedOptions } from './use-used-options.ts'
import { wishesOf } from './wishes.tsx'

const MODES = ['write', 'change', 'hashtags', 'cta', 'translate', 'image'] as const satisfies AssistantMode[]

const FORMS: { [M in AssistantMode]: ComponentType<FormProps<M>> } = {
  write: WriteForm,
  change: ChangeForm,
  hashtags: HashtagsForm,
  cta: CtaForm,
  translate: TranslateForm,
  image: ImageForm,
}

const comeOf = ({ options, outcome }: Asked<About>) => options.length + (outcome?.media ? 1 : 0)

/** From this width on, the assistant fits next to the text. */
const useBeside = mediaHook('(min-width: 64rem)')

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  draft: Draft
  /** The open tab, which requests are for. */
  tab: Tab
  onTab: (tab: Tab) => void
  platforms: Platform[]
  tagging: AccountTagging
  postId: string | null
  edit: (change: (draft: Draft) => Draft) => void
  onPicture: (file: MediaFile) => void
  /** The suggestion to start from. */
  idea: string | undefined
}

/**
 * The writing assistant: a panel next to the text where there is room, else a dialog. It keeps its input and results
 * while closed.
 */
export default function Assistant({ open, onOpenChange, ...post }: Props) {
  const t = useTranslations('assistant')
  const { draft, tab, idea } = post
  const { ws, membership } = usePlace()
  const wide = useBeside()
  const work = useAsks<About>()
  const addedToast = useAddedToast()
  const uses = useUsedOptions(draft, post.postId, post.edit, addedToast.dismiss)
  const [mode, setMode] = useState<AssistantMode>(captionIn(draft, tab).trim() && !idea ? 'change' : 'write')
  /** Results show in the form and the tab that requested them. */
  const belongsHere = (about: About) => about.mode === mode && about.from === tab
  const asks = work.asks.filter(({ about }) => belongsHere(about))
  const running = asks.filter(isWorking)
  const working = running.length > 0
  const [typed, setTyped] = useState(nothingTyped)
  const [voice, onVoice] = useState<FormProps<AssistantMode>['voice']>()
  const lacking = useIdea(idea, setTyped)
  const { unset, refused } = useNoAsk('generateCaption', 0)
  const { data: config } = useQuery(configQuery)
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (open && wide) panel.current?.querySelector<HTMLElement>('[role=tab][data-state=active]')?.focus()
  }, [open, wide])

  // If the assistant is closed when results are ready, show a toast.
  const [newest] = work.asks
  const was = useRef(work.working)
  useEffect(() => {
    const show = () => {
      if (newest) {
        setMode(newest.about.mode)
        post.onTab(newest.about.from)
      }
      onOpenChange(true)
    }
    if (was.current && !work.working && !open)
      toast.message(t('ready'), { action: { label: t('show'), onClick: show } })
    was.current = work.working
  })

  const come = asks.reduce((sum, asked) => sum + comeOf(asked), 0)
  const said =
    asks.length === 0
      ? ''
      : working
        ? come > 0
          ? t('come', { count: come })
          : t('writing')
        : t('over', { count: come })

  // The form is long, so results scroll into view when a request starts and when its first option arrives.
  const answers = useRef<HTMLDivElement>(null)
  const isHere = newest !== undefined && newest === asks[0]
  const stage = newest && `${newest.key} ${comeOf(newest) > 0}`
  const shown = useRef(stage)
  useEffect(() => {
    const found = answers.current
    if (!isHere || !found || shown.current === stage) return
    shown.current = stage
    const scroller = panel.current
    // Scroll only the panel, so that the text stays in view.
    if (scroller) scroller.scrollTop += found.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    else found.scrollIntoView()
  }, [isHere, open, stage])

  /**
   * Confirms what was added to the post. On a phone the assistant then closes, unless other variants are still to be
   * chosen.
   */
  const used = (what: 'used' | 'pictureAdded', key: string, isVariant: boolean, undo: () => void) => {
    addedToast.show(what, key, undo)
    if (!wide && !isVariant) onOpenChange(false)
  }
  const removePicture = (id: string) => {
    addedToast.dismiss(id)
    post.edit((current) => withoutMedia(current, id))
  }
  const ask = (questions: ForTab[]) =>
    work.start(
      questions.map((one) => ({ question: one.question, about: { mode, from: tab, tab: one.tab } })),
      belongsHere,
    )
  const form = <M extends AssistantMode>(one: M) => {
    const onType = (more: Partial<Typed[M]>) => setTyped((all) => ({ ...all, [one]: { ...all[one], ...more } }))
    return createElement<FormProps<M>>(FORMS[one], {
      ...post,
      typed: typed[one],
      onType,
      voice,
      onVoice,
      working,
      onAsk: ask,
    })
  }
  if (!open) return null
  const content = unset ? (
    <Note>{refused}</Note>
  ) : (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p className="text-xs text-muted">
        {tab === 'all' ? t('forAll') : t('forNetwork', { network: NETWORKS[tab].name })}
        {!refusal(membership, 'listSuggestions') && (
          <>
            {' '}
            <Link to="/w/$ws/ideas" params={{ ws }} className="font-medium text-accent-text underline">
              {t('ideas')}
            </Link>
          </>
        )}
      </p>
      {config?.aiIsStandIn && <p className="text-xs text-muted">{t('standIn')}</p>}
      <Note>{lacking}</Note>
      <Tabs.Root
        dir={document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'}
        value={mode}
        onValueChange={(value) => setMode(value as AssistantMode)}
        className="grid grid-cols-[minmax(0,1fr)] gap-4"
      >
        <Tabs.List aria-label={t('modesLabel')} className="flex flex-wrap gap-1">
          {MODES.map((one) => (
            <Tabs.Trigger
              key={one}
              value={one}
              className={clsx(
                'min-h-7 rounded-full border px-2.5 text-xs font-medium max-sm:min-h-11 pointer-coarse:min-h-11',
                one === mode ? 'border-accent bg-accent-soft text-accent-text' : 'text-muted hover:bg-hover',
              )}
            >
              {t(`modes.${one}`)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {MODES.map((one) => (
          <Tabs.Content key={one} value={one} tabIndex={-1} className="outline-none">
            {one === mode && form(one)}
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <div ref={answers} className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden">
        {running.length > 1 && (
          <div>
            <Button size="sm" onClick={() => running.forEach(({ key }) => work.stop(key))}>
              <Square className="size-3.5" aria-hidden />
              {t('stopAll')}
            </Button>
          </div>
        )}
        {asks.map((asked) => (
          <Result
            key={asked.key}
            {...post}
            asked={asked}
            uses={uses}
            onUsed={(key, isVariant) => used('used', key, isVariant, () => uses.takeBack(key))}
            onStop={() => work.stop(asked.key)}
            onSkip={() => work.clear(asked.key)}
            onAgain={() => work.again(asked)}
            onPicture={(file) => {
              post.onPicture(file)
              used('pictureAdded', file.id, false, () => removePicture(file.id))
            }}
            onPictureBack={removePicture}
          />
        ))}
      </div>
      {asks.length > 0 && !working && (
        <p className="text-xs text-muted">
          <Link to="/w/$ws/settings/ai" params={{ ws }} className="underline">
            {t('history')}
          </Link>
        </p>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
    </div>
  )
  return wide ? (
    <Panel ref={panel} title={t('title')} onClose={() => onOpenChange(false)}>
      {content}
    </Panel>
  ) : (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={t('title')}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        document.getElementById('assist')?.focus()
      }}
    >
      {content}
    </Dialog>
  )
}

interface PanelProps {
  /** Refers to the scrolling element. */
  ref: Ref<HTMLDivElement>
  title: string
  onClose: () => void
  children: ReactNode
}

function Panel({ ref, title, onClose, children }: PanelProps) {
  const t = useTranslations('common')
  const keys = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it as the button does
    <section aria-label={title} className="card fade-in flex flex-col md:max-h-[calc(100dvh-7rem)]" onKeyDown={keys}>
      <header className="flex items-center gap-2 px-3.5 pt-3 pb-2">
        <Sparkles className="size-4 text-accent-text" aria-hidden />
        <h2 className="grow text-sm font-semibold">{title}</h2>
        <Button variant="ghost" size="icon" aria-label={t('close')} onClick={onClose}>
          <X className="size-4" aria-hidden />
        </Button>
      </header>
      <div ref={ref} className="min-h-0 overflow-y-auto px-3.5 pb-5">
        {children}
      </div>
    </section>
  )
}

/** Fills an empty brief from a suggestion once it has loaded. Returns why it could not, or null. */
function useIdea(id: string | undefined, onTyped: (change: (typed: Typed) => Typed) => void): string | null {
  const t = useTranslations('assistant')
  const text = useProblemText()
  const { ws, membership } = usePlace()
  const wanted = id !== undefined && !refusal(membership, 'listSuggestions')
  const { data, error, isFetching } = useQuery({ ...suggestionsQuery(ws), enabled: wanted })
  const filled = useRef(false)
  const found = data?.find((one) => one.id === id)
  useEffect(() => {
    if (!found || filled.current) return
    filled.current = true
    const { topic } = found.brief
    const write = { topic, variants: false, wishes: wishesOf(found.brief) }
    onTyped((typed) => (typed.write.topic.trim() ? typed : { ...typed, write }))
  }, [found, onTyped])
  if (id === undefined || found || filled.current || isFetching) return null
  return error ? text(error) : t('ideaGone')
}
