import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, Plus, Sparkles, X } from 'lucide-react'
import { type Dispatch, type FormEvent, type SetStateAction, useRef, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { COSTS } from '../../../../src/assistant/ai/rules.ts'
import type { BrandVoice, VoiceText } from '../../../../src/assistant/brand-voices/api.ts'
import { wordsInBoth } from '../../../../src/assistant/brand-voices/rules.ts'
import { call, isProblem, ProblemError } from '../../../client.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { LeaveQuestion, useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { ask } from '../ai/ask.ts'
import { AskButton } from '../ai/cost.tsx'
import { Trouble } from '../ai/parts.tsx'
import { leftKey, voicesQuery } from '../ai/queries.ts'
import { useMay, usePlace } from '../../shell/workspace.tsx'
import { additionsTo, withAdded, withoutAdded } from './suggested.ts'
import { TagField } from '../../../ui/tag-field.tsx'
import { TryIt } from './try-it.tsx'

const MOST_SAMPLES = 10

type Content = VoiceText & { name: string }

const empty: Content = {
  name: '',
  toneAttributes: [],
  vocabulary: { terms: [], phrases: [], avoid: [] },
  writingStyle: '',
  samplePosts: [],
}

const same = (a: Content, b: Content) => JSON.stringify(a) === JSON.stringify(b)

const contentOf = ({ name, toneAttributes, vocabulary, writingStyle, samplePosts }: Content): Content => ({
  name: name.trim(),
  toneAttributes,
  vocabulary: { terms: vocabulary.terms, phrases: vocabulary.phrases, avoid: vocabulary.avoid },
  writingStyle: writingStyle.trim(),
  samplePosts: samplePosts.map((one) => one.trim()).filter(Boolean),
})

/** Edits one voice: its description, suggestions from samples, and a trial. */
export function VoiceForm({ voice }: { voice: BrandVoice | null }) {
  const t = useTranslations('voices')
  const { ws } = usePlace()
  const may = useMay('createBrandVoice')
  /**
   * The version that the form started from. Another person's change is adopted as long as nothing has been edited here.
   */
  const [base, setBase] = useState(voice)
  const [content, setContent] = useState<Content>(voice ?? empty)
  const now = contentOf(content)
  const isAs = (other: BrandVoice | null) => same(now, contentOf(other ?? empty))
  const changed = !isAs(base)
  if (voice && voice.version !== base?.version && (!changed || isAs(voice))) {
    setBase(voice)
    setContent(voice)
  }
  const save = useSave(base, (theirs) => {
    setBase(theirs)
    setContent(theirs)
    toast.error(t('stale'), { action: { label: t('bringBack'), onClick: () => setContent(content) } })
  })
  const fixed = may.hidden || may.reason !== null
  const guard = useLeaveGuard(changed)
  return (
    <>
      <Link
        to="/w/$ws/settings/voices"
        params={{ ws }}
        search={{}}
        className={buttonClass('secondary', 'md', 'justify-self-start')}
      >
        <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden />
        {t('back')}
      </Link>
      {may.reason && <p className="text-13 text-bad">{may.reason}</p>}
      {may.hidden && <p className="text-13 text-muted">{t('readOnly')}</p>}
      <Fields
        title={voice ? voice.name : t('new')}
        content={content}
        onChange={setContent}
        fixed={fixed}
        error={save.error}
        busy={save.isPending}
        changed={changed}
        onSave={() => save.mutate(now)}
      />
      {!fixed && (
        <TryIt
          unready={now.name ? null : t('nameFirst')}
          changed={changed}
          onReady={async () => (voice && !changed ? voice.id : (await save.mutateAsync(now)).id)}
        />
      )}
      <LeaveQuestion guard={guard} />
    </>
  )
}

function useSave(voice: BrandVoice | null, onStale: (theirs: BrandVoice) => void) {
  const t = useTranslations('voices')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws } = usePlace()
  const { queryKey } = voicesQuery(ws)
  return useMutation({
    mutationFn: (body: Content) =>
      voice
        ? call('updateBrandVoice', { workspace: ws, params: { id: voice.id }, ifMatch: voice.version, body })
        : call('createBrandVoice', { workspace: ws, body }),
    onSuccess: async (saved) => {
      toast.success(t('saved'))
      await client.invalidateQueries({ queryKey })
      if (!voice)
        await navigate({
          to: '/w/$ws/settings/voices',
          params: { ws },
          search: { voice: saved.id },
          replace: true,
          ignoreBlocker: true,
        })
    },
    onError: async (error) => {
      if (!voice || !isProblem(error, 'stale_version')) return
      onStale(await call('getBrandVoice', { workspace: ws, params: { id: voice.id } }))
      void client.invalidateQueries({ queryKey })
    },
  })
}

interface FieldsProps {
  title: string
  content: Content
  onChange: Dispatch<SetStateAction<Content>>
  /** Whether the content is read-only. */
  fixed: boolean
  error: unknown
  busy: boolean
  changed: boolean
  onSave: () => void
}

function Fields({ title, content, onChange, fixed, error, busy, changed, onSave }: FieldsProps) {
  const t = useTranslations('voices')
  const common = useTranslations('common')
  const text = useProblemText()
  const list = new Intl.ListFormat(useLocale())
  const fault = useFaults(error)
  const { vocabulary } = content
  const set = (more: Partial<Content>) => onChange({ ...content, ...more })
  const both = wordsInBoth(vocabulary)
  const torn = both.length > 0 ? t('inBoth', { words: list.format(both) }) : undefined
  const lacks = !content.name.trim() ? t('nameFirst') : (torn ?? (changed ? null : t('nothingChanged')))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!lacks && !busy) onSave()
  }
  return (
    <form onSubmit={submit} className="card p-5" aria-label={title}>
      <fieldset disabled={fixed} className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <legend className="sr-only">{title}</legend>
        <h2 className="text-sm font-semibold break-words">
          <bdi>{title}</bdi>
        </h2>
        {error !== null && !isProblem(error, 'name_taken', 'stale_version') && <FormError>{text(error)}</FormError>}
        <TextField
          label={t('name')}
          dir="auto"
          required
          maxLength={80}
          value={content.name}
          error={isProblem(error, 'name_taken') ? text(error) : fault('/name')}
          onChange={(event) => set({ name: event.target.value })}
        />
        <TagField
          fixed={fixed}
          label={t('tone')}
          hint={t('toneHint')}
          most={12}
          maxLength={40}
          values={content.toneAttributes}
          onChange={(toneAttributes) => set({ toneAttributes })}
        />
        <TagField
          fixed={fixed}
          label={t('terms')}
          hint={t('termsHint')}
          most={100}
          maxLength={80}
          values={vocabulary.terms}
          onChange={(terms) => set({ vocabulary: { ...vocabulary, terms } })}
        />
        <TagField
          fixed={fixed}
          label={t('phrases')}
          most={50}
          maxLength={200}
          values={vocabulary.phrases}
          onChange={(phrases) => set({ vocabulary: { ...vocabulary, phrases } })}
        />
        <TagField
          fixed={fixed}
          label={t('avoid')}
          error={torn ?? fault('/vocabulary/avoid')}
          hint={t('avoidHint')}
          most={100}
          maxLength={80}
          values={vocabulary.avoid}
          onChange={(avoid) => set({ vocabulary: { ...vocabulary, avoid } })}
        />
        <label className="grid gap-1.5">
          <span className="text-13 font-medium">{t('style')}</span>
          <textarea
            className="input min-h-24 resize-y py-2"
            dir="auto"
            maxLength={2000}
            placeholder={t('stylePlaceholder')}
            value={content.writingStyle}
            onChange={(event) => set({ writingStyle: event.target.value })}
          />
        </label>
        <Samples fixed={fixed} samples={content.samplePosts} onChange={(samplePosts) => set({ samplePosts })} />
        {!fixed && <Suggest content={content} onChange={onChange} />}
        {!fixed && (
          <div className="border-t pt-4">
            <Button type="submit" variant="primary" busy={busy} reason={lacks}>
              {common('save')}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  )
}

interface SamplesProps {
  samples: string[]
  /** Whether the content is read-only. */
  fixed: boolean
  onChange: (samples: string[]) => void
}

function Samples({ samples, fixed, onChange }: SamplesProps) {
  const t = useTranslations('voices')
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <legend className="mb-1.5 text-13 font-medium">{t('samples')}</legend>
      <p className="text-xs text-muted">{t('samplesHint')}</p>
      {samples.map((sample, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a sample is its place in the list
        <div key={index} className="flex items-start gap-1">
          <textarea
            className="input min-h-24 resize-y py-2"
            dir="auto"
            maxLength={3000}
            aria-label={t('sample', { position: index + 1 })}
            value={sample}
            onChange={(event) => onChange(samples.with(index, event.target.value))}
          />
          {!fixed && (
            <Button
              variant="ghost"
              size="icon"
              aria-label={t('removeSample', { position: index + 1 })}
              onClick={() => onChange(samples.toSpliced(index, 1))}
            >
              <X className="size-4" aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {!fixed && (
        <div>
          <Button
            size="sm"
            reason={samples.length >= MOST_SAMPLES && t('enoughSamples')}
            onClick={() => onChange([...samples, ''])}
          >
            <Plus className="size-3.5" aria-hidden />
            {t('addSample')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Has the model describe what the samples have in common. Adds to the form, which a person then saves. */
function Suggest({ content, onChange }: Pick<FieldsProps, 'content' | 'onChange'>) {
  const t = useTranslations('voices')
  const client = useQueryClient()
  const { ws } = usePlace()
  const { samplePosts } = contentOf(content)
  // Includes text typed while the request runs.
  const latest = useRef(content)
  latest.current = content
  const run = useMutation({
    mutationFn: async () => {
      const { error, voice } = await ask(
        ws,
        { operation: 'suggestVoice', body: { samplePosts } },
        {
          onBegin: () => undefined,
          onOption: () => undefined,
          onLeft: (left) => client.setQueryData(leftKey(ws), left),
        },
        new AbortController().signal,
      )
      if (!voice) throw new ProblemError(502, { code: error?.code ?? 'ai_failed', detail: error?.message })
      return voice
    },
    onSuccess: (voice) => {
      const added = additionsTo(latest.current, voice)
      onChange((now) => withAdded(now, added))
      toast.success(t('suggested'), {
        action: { label: t('undo'), onClick: () => onChange((now) => withoutAdded(now, added)) },
      })
    },
    onSettled: () => void client.invalidateQueries({ queryKey: [ws, 'usage'] }),
  })
  return (
    <div className="grid gap-2">
      <AskButton
        secondary
        operation="suggestVoice"
        cost={COSTS.voice}
        busy={run.isPending}
        reason={samplePosts.length === 0 ? t('samplesFirst') : null}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('suggest')}
        onAsk={() => run.mutate()}
      />
      {run.error && <Trouble error={run.error} />}
    </div>
  )
}
