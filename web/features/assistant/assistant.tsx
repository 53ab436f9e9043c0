import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Sparkles, X } from 'lucide-react'
import { Tabs } from 'radix-ui'
import {
  type ComponentType,
  createElement,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useTranslations } from 'use-intl'
import type { Platform } from '../../../src/accounts/api.ts'
import type { MediaFile } from '../../../src/media/api.ts'
import type { AccountTagging } from '../../../src/posts/compose/rules.ts'
import { NETWORKS } from '../../labels.ts'
import { useProblemText } from '../../problem.ts'
import { configQuery } from '../../queries.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useNoAsk } from '../ai/cost.tsx'
import { suggestionsQuery } from '../ai/queries.ts'
import { useAsks } from '../ai/use-asks.ts'
import { captionIn, type Draft, type Tab, withoutMedia } from '../composer/draft.ts'
import { refusal, usePlace } from '../shell/workspace.tsx'
import {
  ChangeForm,
  CtaForm,
  type FormProps,
  type ForTab,
  HashtagsForm,
  ImageForm,
  type Mode,
  Note,
  nothingTyped,
  TranslateForm,
  type Typed,
  WriteForm,
} from './forms.tsx'
import { Result } from './results.tsx'
import { useUses } from './use-uses.ts'
import { wishesOf } from './wishes.tsx'

const MODES = ['write', 'change', 'hashtags', 'cta', 'translate', 'image'] as const satisfies Mode[]

const FORMS: { [M in Mode]: ComponentType<FormProps<M>> } = {
  write: WriteForm,
  change: ChangeForm,
  hashtags: HashtagsForm,
  cta: CtaForm,
  translate: TranslateForm,
  image: ImageForm,
}

/** From this width on there is room beside the text. */
const beside = matchMedia('(min-width: 64rem)')
const subscribe = (listener: () => void) => {
  beside.addEventListener('change', listener)
  return () => beside.removeEventListener('change', listener)
}

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  draft: Draft
  /** The tab that is open: what is asked is for it. */
  tab: Tab
  platforms: Platform[]
  tagging: AccountTagging
  postId: string | null
  edit: (change: (draft: Draft) => Draft) => void
  onPicture: (file: MediaFile) => void
  /** The suggestion to begin with. */
  idea: string | undefined
}

/** Writes with the person: beside the text where there is room, else over it. What was typed and found stays while it is closed. */
export default function Assistant({ open, onOpenChange, ...post }: Props) {
  const t = useTranslations('assistant')
  const { draft, tab, idea } = post
  const { ws, membership } = usePlace()
  const wide = useSyncExternalStore(subscribe, () => beside.matches)
  const work = useAsks<ForTab['about']>()
  const { asks, working } = work
  const uses = useUses(draft, post.postId, post.edit)
  const [mode, setMode] = useState<Mode>(captionIn(draft, tab).trim() && !idea ? 'change' : 'write')
  const [typed, setTyped] = useState(nothingTyped)
  const lacking = useIdea(idea, setTyped)
  const { unset, refused } = useNoAsk('generateCaption', 0)
  const { data: config } = useQuery(configQuery)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    if (open && wide) panel.current?.querySelector<HTMLElement>('[role=tab][data-state=active]')?.focus()
  }, [open, wide])

  // Whoever closed it hears when there is something to see.
  const was = useRef(working)
  useEffect(() => {
    if (was.current && !working && !open)
      toast.message(t('ready'), { action: { label: t('show'), onClick: () => onOpenChange(true) } })
    was.current = working
  })

  const come = asks.reduce((sum, { options, outcome }) => sum + options.length + (outcome?.media ? 1 : 0), 0)
  const said =
    asks.length === 0
      ? ''
      : working
        ? come > 0
          ? t('come', { count: come })
          : t('writing')
        : t('over', { count: come })

  // The form is long: what was asked comes into view.
  const answers = useRef<HTMLDivElement>(null)
  const newest = asks[0]?.key
  const any = come > 0
  useEffect(() => {
    if (newest) answers.current?.scrollIntoView({ block: wide ? 'nearest' : 'start' })
  }, [newest, any, wide])

  /** Tells what is in the post now. On a phone the assistant makes way, but for the rest of several variants. */
  const used = (told: 'used' | 'pictureAdded', isVariant: boolean, undo: () => void) => {
    toast.success(t(told), { action: { label: t('undo'), onClick: undo } })
    if (!wide && !isVariant) onOpenChange(false)
  }
  const removePicture = (id: string) => post.edit((current) => withoutMedia(current, id))
  const ask = (questions: ForTab[]) => work.start(questions)
  const form = <M extends Mode>(one: M) => {
    const onType = (more: Partial<Typed[M]>) => setTyped((all) => ({ ...all, [one]: { ...all[one], ...more } }))
    return createElement<FormProps<M>>(FORMS[one], { ...post, typed: typed[one], onType, working, onAsk: ask })
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
        onValueChange={(value) => setMode(value as Mode)}
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
        {asks.map((asked) => (
          <Result
            key={asked.key}
            {...post}
            asked={asked}
            uses={uses}
            onUsed={(isVariant, undo) => used('used', isVariant, undo)}
            onStop={work.stop}
            onSkip={() => work.clear(asked.key)}
            onAgain={() => work.start(asks.map(({ question, about }) => ({ question, about })))}
            onPicture={(file) => {
              post.onPicture(file)
              used('pictureAdded', false, () => removePicture(file.id))
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
  ref: React.Ref<HTMLElement>
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
    <section ref={ref} aria-label={title} className="card fade-in p-3.5" onKeyDown={keys}>
      <header className="mb-2 flex items-center gap-2">
        <Sparkles className="size-4 text-accent-text" aria-hidden />
        <h2 className="grow text-sm font-semibold">{title}</h2>
        <Button variant="ghost" size="icon" aria-label={t('close')} onClick={onClose}>
          <X className="size-4" aria-hidden />
        </Button>
      </header>
      {children}
    </section>
  )
}

/** Fills an empty brief from a suggestion once, when it is there; answers why it could not. */
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
