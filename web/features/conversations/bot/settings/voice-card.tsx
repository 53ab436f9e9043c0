import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { described, Frame } from '../../../../ui/field.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { voicesQuery } from '../../../assistant/ai/queries.ts'
import { refusal, usePlace } from '../../../shell/workspace.tsx'
import { Card } from './card.tsx'
import type { CardProps } from './use-settings.ts'

/** The bot's tone, and how it discloses itself. */
export function VoiceCard({ now, set, fixed, fault }: CardProps) {
  const t = useTranslations('bot.voice')
  const { ws, membership } = usePlace()
  const { data: voices = [] } = useQuery({ ...voicesQuery(ws), enabled: !refusal(membership, 'listBrandVoices') })
  const main = voices.find(({ isDefault }) => isDefault)
  const gone = now.brandVoiceId !== null && voices.every(({ id }) => id !== now.brandVoiceId)
  return (
    <Card id="voice" number={4} title={t('title')}>
      <SelectField
        label={t('voice')}
        error={fault('/brandVoiceId')}
        hint={
          voices.length === 0 &&
          t.rich('noVoice', {
            link: (words) => (
              <Link to="/w/$ws/settings/voices" params={{ ws }} className="font-medium underline">
                {words}
              </Link>
            ),
          })
        }
        value={now.brandVoiceId ?? ''}
        disabled={fixed}
        options={[
          ['', main ? t('default', { name: main.name }) : t('none')],
          ...voices.map(({ id, name }) => [id, name] as const),
          ...(gone && now.brandVoiceId ? [[now.brandVoiceId, t('gone')] as const] : []),
        ]}
        onChange={(id) => set({ brandVoiceId: id || null })}
      />
      <Text
        label={t('disclosure')}
        hint={t('disclosureHint')}
        placeholder={t('disclosureExample')}
        most={300}
        value={now.disclosureText}
        fixed={fixed}
        error={fault('/disclosureText')}
        onChange={(disclosureText) => set({ disclosureText })}
      />
      <Text
        label={t('handoff')}
        hint={t('handoffHint')}
        placeholder={t('handoffExample')}
        most={600}
        value={now.handoffText}
        fixed={fixed}
        error={fault('/handoffText')}
        onChange={(handoffText) => set({ handoffText })}
      />
    </Card>
  )
}

interface TextProps {
  label: string
  hint: string
  placeholder: string
  most: number
  value: string | null
  fixed: boolean
  error: string | undefined
  onChange: (text: string | null) => void
}

function Text({ label, hint, placeholder, most, value, fixed, error, onChange }: TextProps) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        id={id}
        rows={2}
        dir="auto"
        className="input field-sizing-content"
        maxLength={most}
        disabled={fixed}
        placeholder={placeholder}
        aria-invalid={error ? true : undefined}
        aria-describedby={described(id, hint, error)}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      />
    </Frame>
  )
}
