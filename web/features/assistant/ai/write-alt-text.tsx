import { Sparkles, Square } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { COSTS } from '../../../../src/assistant/ai/rules.ts'
import { Button } from '../../../ui/button.tsx'
import { AskButton } from './cost.tsx'
import { DroppedNote, Trouble } from './parts.tsx'
import { useAsks } from './use-asks.ts'

interface Props {
  mediaId: string
  /** Whether a text already exists, which a new one would replace. */
  again: boolean
  onText: (text: string) => void
}

/** Has the AI describe a picture. The text is a proposal, saved with the surrounding form. */
export default function WriteAltText({ mediaId, again, onText }: Props) {
  const t = useTranslations('ai.altText')
  const { asks, working, start, stop } = useAsks<null>()
  const [asked] = asks
  const taken = useRef<string>(null)
  const text = asked?.state === 'done' ? asked.options[0]?.text : undefined
  useEffect(() => {
    if (!asked || text === undefined || taken.current === asked.key) return
    taken.current = asked.key
    onText(text)
  }, [asked, text, onText])
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <AskButton
          secondary
          operation="generateAltText"
          cost={COSTS.alt_text}
          busy={working}
          icon={<Sparkles className="size-4" aria-hidden />}
          label={t(again ? 'again' : 'write')}
          onAsk={() => start([{ question: { operation: 'generateAltText', body: { mediaId } }, about: null }])}
        />
        {working && asked && (
          <Button variant="ghost" onClick={() => stop(asked.key)}>
            <Square className="size-3.5" aria-hidden />
            {t('stop')}
          </Button>
        )}
      </div>
      <p role="status" className="text-xs text-muted empty:hidden">
        {working && t(asked?.slow ? 'slow' : 'working')}
        {text !== undefined && t('check')}
      </p>
      {asked?.state === 'failed' && <Trouble error={asked.error} />}
      {asked?.state === 'done' && (
        <DroppedNote asked={1} came={asked.options.length} dropped={asked.outcome?.dropped ?? []} />
      )}
    </div>
  )
}
