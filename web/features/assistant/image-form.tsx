import { Sparkles } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { networks } from '../../../src/networks/rules.ts'
import { COSTS } from '../../../src/assistant/ai/rules.ts'
import { SelectField } from '../../ui/select.tsx'
import { ChoiceField } from './ai/choice-field.tsx'
import { AskForm } from './ai/ask-form.tsx'
import { AskButton } from './ai/cost.tsx'
import { contextOf, type FormProps, Note, Pair, RATIOS, STYLES, useLong } from './form-parts.tsx'
import { VoiceField } from './wishes.tsx'

export function ImageForm({ typed, onType, voice, onVoice, tab, working, onAsk }: FormProps<'image'>) {
  const t = useTranslations('assistant')
  const ai = useTranslations('ai')
  const { prompt, style } = typed
  const long = useLong(prompt)
  const ratio = typed.ratio ?? (tab === 'all' ? '1:1' : networks[tab].drawnRatio)
  const ask = () =>
    onAsk([
      {
        question: {
          operation: 'generateImage',
          body: {
            prompt: prompt.trim(),
            aspectRatio: ratio,
            ...(style.trim() && { style: style.trim() }),
            ...contextOf(voice, 'all', null),
          },
        },
        tab,
      },
    ])
  return (
    <AskForm>
      <label className="grid gap-1.5">
        <span className="text-13 font-medium">{t('prompt')}</span>
        <textarea
          id="assistant-first"
          className="input min-h-24 resize-y py-2"
          dir="auto"
          aria-describedby="prompt-long"
          placeholder={t('promptPlaceholder')}
          value={prompt}
          onChange={(event) => onType({ prompt: event.target.value })}
        />
      </label>
      <div id="prompt-long" className="empty:hidden">
        <Note>{long}</Note>
      </div>
      <Pair>
        <SelectField
          label={t('ratio')}
          value={ratio}
          options={RATIOS.map((one) => [one, t(`ratios.${one.replace(':', '_') as '1_1'}`)])}
          onChange={(to) => onType({ ratio: to })}
        />
        <ChoiceField
          label={t('style')}
          maxLength={100}
          choices={[['', ai('noWish')], ...STYLES.map((one): [string, string] => [one, t(`styles.${one}`)])]}
          value={style}
          onChange={(to) => onType({ style: to })}
        />
        <VoiceField voice={voice} onVoice={onVoice} />
      </Pair>
      <AskButton
        operation="generateImage"
        cost={COSTS.image}
        busy={working}
        reason={prompt.trim() ? long : t('promptFirst')}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('makeImage')}
        onAsk={ask}
      />
    </AskForm>
  )
}
