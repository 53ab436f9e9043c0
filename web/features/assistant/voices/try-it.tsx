import { LoaderCircle, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { COSTS } from '../../../../src/assistant/ai/rules.ts'
import { AskForm } from '../ai/ask-form.tsx'
import { AskButton } from '../ai/cost.tsx'
import { DroppedNote, OptionText, Trouble } from '../ai/parts.tsx'
import { useAsks } from '../ai/use-asks.ts'

interface Props {
  /** Why the voice cannot be tried yet. */
  unready: string | null
  /** Whether there are unsaved changes. They are saved before the trial. */
  changed: boolean
  /** Saves the voice if needed, and returns its id. */
  onReady: () => Promise<string>
}

/** Writes captions in this voice as a trial. */
export function TryIt({ unready, changed, onReady }: Props) {
  const t = useTranslations('voices')
  const { asks, working, start } = useAsks<null>()
  const [topic, setTopic] = useState('')
  const [saving, setSaving] = useState(false)
  const run = async () => {
    setSaving(true)
    try {
      const brandVoiceId = await onReady()
      start([
        {
          question: { operation: 'generateCaption', body: { topic: topic.trim(), brandVoiceId, count: 2 } },
          about: null,
        },
      ])
    } catch {
      // The form shows why saving failed.
    } finally {
      setSaving(false)
    }
  }
  const asked = asks[0]
  return (
    <section className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-5" aria-labelledby="try-title">
      <h2 id="try-title" className="text-sm font-semibold">
        {t('try')}
      </h2>
      <AskForm>
        <label className="grid gap-1.5">
          <span className="text-13 font-medium">{t('tryTopic')}</span>
          <input
            className="input"
            dir="auto"
            maxLength={2000}
            value={topic}
            onChange={(event) => setTopic(event.target.value)}
          />
        </label>
        <AskButton
          secondary
          operation="generateCaption"
          cost={COSTS.caption}
          busy={working || saving}
          reason={unready ?? (topic.trim() ? null : t('topicFirst'))}
          icon={<Sparkles className="size-4" aria-hidden />}
          label={t(changed ? 'saveAndTry' : 'tryNow')}
          onAsk={() => void run()}
        />
      </AskForm>
      <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {asked?.state === 'working' && (
          <p className="flex items-center gap-2 text-13 text-muted">
            <LoaderCircle className="size-4 motion-safe:animate-spin" aria-hidden />
            {t('trying')}
          </p>
        )}
        {asked?.options.map((option) => (
          <div key={option.text} className="rounded-lg border p-3">
            <OptionText option={option} kind="caption" />
          </div>
        ))}
      </div>
      {asked?.state === 'failed' && <Trouble error={asked.error} />}
      {asked?.outcome && asked.state === 'done' && (
        <DroppedNote asked={asked.outcome.asked} came={asked.outcome.options.length} dropped={asked.outcome.dropped} />
      )}
    </section>
  )
}
