import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { CaptionInput } from '../../../src/assistant/ai/api.ts'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { ChoiceField } from './ai/choice-field.tsx'
import { useLanguageChoices } from './ai/languages.ts'
import { voicesQuery } from './ai/queries.ts'
import { refusal, usePlace } from '../shell/workspace.tsx'

/** The wishes for a text. The model decides where one is empty. */
export interface Wishes {
  tone: string
  length: '' | 'short' | 'medium' | 'long-form'
  language: string
  emoji: '' | 'none' | 'minimal' | 'heavy'
  hashtags: boolean
  hashtagCount: number
  cta: boolean
  ctaStyle: string
  count: number
}

export const noWishes: Wishes = {
  tone: '',
  length: '',
  language: '',
  emoji: '',
  hashtags: true,
  hashtagCount: 5,
  cta: true,
  ctaStyle: '',
  count: 3,
}

/** The wishes of a prepared brief. */
export function wishesOf(brief: CaptionInput): Wishes {
  const usual = noWishes
  const { hashtags, cta = brief.ctaOptions } = brief
  return {
    ...usual,
    tone: brief.tone ?? '',
    length: brief.length ?? '',
    language: brief.language ?? '',
    emoji: brief.emoji ?? '',
    hashtags: typeof hashtags === 'object' ? hashtags.include !== false : (hashtags ?? usual.hashtags),
    hashtagCount: (typeof hashtags === 'object' && (hashtags.count ?? hashtags.max)) || usual.hashtagCount,
    cta: typeof cta === 'object' ? cta.include !== false : (cta ?? usual.cta),
    ctaStyle: (typeof cta === 'object' && cta.style) || '',
    count: brief.count ?? usual.count,
  }
}

/** Wishes as a request body. */
export const bodyOf = (wishes: Wishes) => ({
  ...(wishes.tone.trim() && { tone: wishes.tone.trim() }),
  ...(wishes.length && { length: wishes.length }),
  ...(wishes.language.trim() && { language: wishes.language.trim() }),
  ...(wishes.emoji && { emoji: wishes.emoji }),
  hashtags: wishes.hashtags ? { include: true, count: wishes.hashtagCount } : false,
  cta: wishes.cta ? { include: true, ...(wishes.ctaStyle.trim() && { style: wishes.ctaStyle.trim() }) } : false,
  count: wishes.count,
})

const TONES = ['friendly', 'professional', 'playful', 'confident', 'warm', 'informative'] as const
const LENGTHS = ['short', 'medium', 'long-form'] as const
const EMOJI = ['none', 'minimal', 'heavy'] as const
const CTA_STYLES = ['direct', 'soft', 'question', 'urgent'] as const

interface Props extends VoiceProps {
  wishes: Wishes
  onChange: (wishes: Wishes) => void
}

/** One voice shared by all forms; null is none, undefined the default. */
export interface VoiceProps {
  voice: string | null | undefined
  onVoice: (voice: VoiceProps['voice']) => void
}

export function ToneField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (to: string) => void
}) {
  const t = useTranslations('ai')
  return (
    <ChoiceField
      label={label}
      maxLength={100}
      value={value}
      onChange={onChange}
      choices={[['', t('noWish')], ...TONES.map((tone): [string, string] => [tone, t(`tones.${tone}`)])]}
    />
  )
}

const NO_VOICE = 'none'

export function VoiceField({ voice, onVoice }: VoiceProps) {
  const t = useTranslations('ai')
  const { ws, membership } = usePlace()
  const { data: voices } = useQuery(voicesQuery(ws))
  if (!voices) return <div className="skeleton h-14" aria-hidden />
  const usual = voices.find(({ isDefault }) => isDefault)
  const link = (words: ReactNode) => (
    <Link to="/w/$ws/settings/voices" params={{ ws }} className="font-medium text-accent-text underline">
      {words}
    </Link>
  )
  return (
    <SelectField
      label={t('voice')}
      hint={
        voices.length === 0
          ? t.rich(refusal(membership, 'createBrandVoice') ? 'noVoice' : 'noVoiceYet', { link })
          : undefined
      }
      value={voice === null ? NO_VOICE : (voice ?? '')}
      options={[
        ...(usual ? [['', t('voiceDefault', { name: usual.name })] as const] : []),
        [usual ? NO_VOICE : '', t('voiceNone')],
        ...voices.filter((one) => one !== usual).map(({ id, name }) => [id, name] as const),
      ]}
      onChange={(value) => onVoice(value === NO_VOICE ? null : value || undefined)}
    />
  )
}

export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (on: boolean) => void
  children: ReactNode
}) {
  return (
    <label className="flex min-h-8 items-start gap-2.5 py-1 text-13 max-sm:min-h-11">
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">{children}</span>
    </label>
  )
}

/** The choices for a text: the important ones visible, the rest folded. */
export function WishFields({ wishes, onChange, ...voice }: Props) {
  const t = useTranslations('ai')
  const format = useFormatter()
  const { workspace } = usePlace()
  const languages = useLanguageChoices(workspace.language)
  const set = (more: Partial<Wishes>) => onChange({ ...wishes, ...more })
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 sm:grid-cols-2">
        <ToneField label={t('tone')} value={wishes.tone} onChange={(tone) => set({ tone })} />
        <SelectField
          label={t('length')}
          value={wishes.length}
          options={[['', t('noWish')], ...LENGTHS.map((one) => [one, t(`lengths.${one}`)] as const)]}
          onChange={(length) => set({ length })}
        />
        <ChoiceField
          label={t('language')}
          maxLength={60}
          choices={[['', t('languageOfTopic')], ...languages]}
          value={wishes.language}
          onChange={(language) => set({ language })}
        />
        <VoiceField {...voice} />
      </div>
      <details>
        <summary className="flex min-h-8 items-center text-13 font-medium text-accent-text max-sm:min-h-11">
          {t('moreWishes')}
        </summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-2 sm:grid-cols-2">
          <SelectField
            label={t('emoji')}
            value={wishes.emoji}
            options={[['', t('noWish')], ...EMOJI.map((one) => [one, t(`emojis.${one}`)] as const)]}
            onChange={(emoji) => set({ emoji })}
          />
          <SelectField
            label={t('count')}
            value={String(wishes.count)}
            options={[2, 3, 4, 5].map((count) => [String(count), format.number(count)])}
            onChange={(count) => set({ count: Number(count) })}
          />
          <div className="grid content-start gap-1.5">
            <Check checked={wishes.hashtags} onChange={(hashtags) => set({ hashtags })}>
              {t('withHashtags')}
            </Check>
            {wishes.hashtags && (
              <TextField
                label={t('howMany')}
                type="number"
                min={1}
                max={30}
                value={wishes.hashtagCount}
                onChange={(event) => set({ hashtagCount: Math.min(30, Math.max(1, Number(event.target.value) || 1)) })}
              />
            )}
          </div>
          <div className="grid content-start gap-1.5">
            <Check checked={wishes.cta} onChange={(cta) => set({ cta })}>
              {t('withCta')}
            </Check>
            {wishes.cta && <CtaStyleField value={wishes.ctaStyle} onChange={(ctaStyle) => set({ ctaStyle })} />}
          </div>
        </div>
      </details>
    </>
  )
}

export function CtaStyleField({ value, onChange }: { value: string; onChange: (style: string) => void }) {
  const t = useTranslations('ai')
  return (
    <ChoiceField
      label={t('ctaStyle')}
      maxLength={100}
      value={value}
      onChange={onChange}
      choices={[['', t('noWish')], ...CTA_STYLES.map((one): [string, string] => [one, t(`ctaStyles.${one}`)])]}
    />
  )
}
