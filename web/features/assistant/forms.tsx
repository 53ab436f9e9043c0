import { Languages, Sparkles } from 'lucide-react'
import { useId } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { Change } from '../../../src/assistant/ai/api.ts'
import { canShorten, COSTS } from '../../../src/assistant/ai/rules.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { ChoiceField } from './ai/choice-field.tsx'
import { AskForm } from './ai/ask-form.tsx'
import { AskButton, useNoAsk } from './ai/cost.tsx'
import { useLanguageChoices } from './ai/languages.ts'
import { captionIn, ctaIn, hashtagsOf, isCustomised, type Tab } from '../publishing/composer/draft.ts'
import { usePlace } from '../shell/workspace.tsx'
import { contextOf, type FormProps, Note, Pair, tabsOf, useLong, useTooLong, Variants } from './form-parts.tsx'
import { bodyOf, Check, CtaStyleField, ToneField, VoiceField, WishFields } from './wishes.tsx'

export function WriteForm(props: FormProps<'write'>) {
  const t = useTranslations('assistant')
  const { typed, onType, voice, onVoice, postId, working, onAsk } = props
  const { topic, variants, wishes } = typed
  const tabs = tabsOf(props, variants)
  const long = useLong(topic)
  const reason = topic.trim() ? long : t('topicFirst')
  const ask = () =>
    onAsk(
      tabs.map((one) => ({
        question: {
          operation: 'generateCaption',
          body: { topic: topic.trim(), ...bodyOf(wishes), ...contextOf(voice, one, postId) },
        },
        tab: one,
      })),
    )
  return (
    <AskForm>
      <label className="grid gap-1.5">
        <span className="text-13 font-medium">{t('topic')}</span>
        <textarea
          id="assistant-first"
          className="input min-h-24 resize-y py-2"
          dir="auto"
          aria-describedby="topic-long"
          placeholder={t('topicPlaceholder')}
          value={topic}
          onChange={(event) => onType({ topic: event.target.value })}
        />
      </label>
      <div id="topic-long" className="empty:hidden">
        <Note>{long}</Note>
      </div>
      <WishFields wishes={wishes} onChange={(now) => onType({ wishes: now })} voice={voice} onVoice={onVoice} />
      <Variants {...props} on={variants} onChange={(on) => onType({ variants: on })} />
      <AskButton
        operation="generateCaption"
        cost={COSTS.caption * tabs.length}
        busy={working}
        reason={reason}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('write')}
        onAsk={ask}
      />
    </AskForm>
  )
}

const CHANGES = ['shorter', 'longer', 'spelling'] as const satisfies Change[]

export function ChangeForm(props: FormProps<'change'>) {
  const t = useTranslations('assistant')
  const ai = useTranslations('ai')
  const priceId = useId()
  const { typed, onType, voice, onVoice, draft, tab, postId, working, onAsk } = props
  const { variants, tone, instruction } = typed
  const tabs = tabsOf(props, variants)
  const tooLong = useTooLong(draft, tabs)
  const nothing = captionIn(draft, tab).trim() ? tooLong : t('textFirst')
  const cost = COSTS.rewrite * tabs.length
  const none = useNoAsk('rewriteCaption', cost)
  const isShort = tabs.some((one) => !canShorten(captionIn(draft, one)))
  const ask = (wanted: { change?: Change; instruction?: string; tone?: string }) =>
    onAsk(
      tabs.map((one) => ({
        question: {
          operation: 'rewriteCaption',
          // Correcting the spelling ignores the chosen voice.
          body: {
            caption: captionIn(draft, one),
            ...wanted,
            ...contextOf(wanted.change === 'spelling' ? undefined : voice, one, postId),
          },
        },
        tab: one,
      })),
    )
  const own = {
    ...(tone.trim() && { tone: tone.trim() }),
    ...(instruction.trim() && { instruction: instruction.trim() }),
  }
  const unsaid = Object.keys(own).length === 0 && !variants
  return (
    <AskForm>
      <Note>{tooLong}</Note>
      <div className="flex flex-wrap gap-2" role="group" aria-label={t('quick')}>
        {CHANGES.map((change) => (
          <Button
            key={change}
            size="sm"
            busy={working}
            reason={none.reason ?? nothing ?? (change === 'shorter' && isShort ? t('shortAlready') : null)}
            aria-describedby={priceId}
            onClick={() => ask({ change })}
          >
            {ai(`changes.${change}`)}
          </Button>
        ))}
        <p id={priceId} className="self-center text-xs text-muted tabular-nums">
          {ai('costEach', { count: cost })}
        </p>
      </div>
      <Pair>
        <ToneField label={t('toneTo')} value={tone} onChange={(to) => onType({ tone: to })} />
        <VoiceField voice={voice} onVoice={onVoice} />
      </Pair>
      <TextField
        label={t('instruction')}
        dir="auto"
        maxLength={1000}
        placeholder={t('instructionPlaceholder')}
        value={instruction}
        onChange={(event) => onType({ instruction: event.target.value })}
      />
      <Variants {...props} on={variants} onChange={(on) => onType({ variants: on })} />
      <AskButton
        operation="rewriteCaption"
        cost={cost}
        busy={working}
        reason={nothing ?? (unsaid ? t('sayHow') : null)}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('change')}
        onAsk={() => ask(own)}
      />
    </AskForm>
  )
}

export function HashtagsForm({ typed, onType, voice, onVoice, draft, tab, working, onAsk }: FormProps<'hashtags'>) {
  const t = useTranslations('assistant')
  const format = useFormatter()
  const { workspace } = usePlace()
  const caption = captionIn(draft, tab).trim()
  const tooLong = useTooLong(draft, [tab])
  const { count } = typed
  const niche = typed.niche ?? workspace.niche ?? ''
  const mediaIds = draft.media.filter(({ file }) => file.kind === 'IMAGE').map(({ mediaFileId }) => mediaFileId)
  const from = {
    ...(caption && { caption }),
    ...(mediaIds.length > 0 && { mediaIds: mediaIds.slice(0, 10) }),
    ...(niche.trim() && { niche: niche.trim() }),
  }
  // Without a post id, because the service would write the hashtags into that post. The person chooses first.
  const ask = () =>
    onAsk([
      {
        question: { operation: 'generateHashtags', body: { ...from, count, ...contextOf(voice, tab, null) } },
        tab,
      },
    ])
  return (
    <AskForm>
      <Note>{tooLong}</Note>
      <TextField
        id="assistant-first"
        label={t('niche')}
        hint={t('nicheHint')}
        dir="auto"
        maxLength={300}
        value={niche}
        onChange={(event) => onType({ niche: event.target.value })}
      />
      <Pair>
        <SelectField
          label={t('howManyTags')}
          value={String(count)}
          options={[3, 5, 10, 15, 20, 30].map((one) => [String(one), format.number(one)])}
          onChange={(one) => onType({ count: Number(one) })}
        />
        <VoiceField voice={voice} onVoice={onVoice} />
      </Pair>
      <AskButton
        operation="generateHashtags"
        cost={COSTS.hashtags}
        busy={working}
        reason={Object.keys(from).length === 0 ? t('textOrNiche') : tooLong}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('findHashtags')}
        onAsk={ask}
      />
    </AskForm>
  )
}

export function CtaForm({ typed, onType, voice, onVoice, draft, tab, postId, working, onAsk }: FormProps<'cta'>) {
  const t = useTranslations('assistant')
  const caption = captionIn(draft, tab).trim()
  const tooLong = useTooLong(draft, [tab])
  const { goal, style } = typed
  const ask = () =>
    onAsk([
      {
        question: {
          operation: 'generateCta',
          body: {
            ...(caption && { caption }),
            ...(goal.trim() && { goal: goal.trim() }),
            ...(style.trim() && { style: style.trim() }),
            ...contextOf(voice, tab, postId),
          },
        },
        tab,
      },
    ])
  return (
    <AskForm>
      <Note>{tooLong}</Note>
      <TextField
        id="assistant-first"
        label={t('goal')}
        dir="auto"
        maxLength={300}
        placeholder={t('goalPlaceholder')}
        value={goal}
        onChange={(event) => onType({ goal: event.target.value })}
      />
      <Pair>
        <CtaStyleField value={style} onChange={(to) => onType({ style: to })} />
        <VoiceField voice={voice} onVoice={onVoice} />
      </Pair>
      <AskButton
        operation="generateCta"
        cost={COSTS.cta}
        busy={working}
        reason={caption || goal.trim() ? tooLong : t('textOrGoal')}
        icon={<Sparkles className="size-4" aria-hidden />}
        label={t('writeCta')}
        onAsk={ask}
      />
    </AskForm>
  )
}

export function TranslateForm({
  typed,
  onType,
  voice,
  onVoice,
  draft,
  tab,
  platforms,
  postId,
  working,
  onAsk,
}: FormProps<'translate'>) {
  const t = useTranslations('assistant')
  const ai = useTranslations('ai')
  const { workspace } = usePlace()
  const languages = useLanguageChoices(workspace.language === 'en' ? 'ar' : 'en')
  const { all } = typed
  const language = typed.language ?? languages[0]?.[0] ?? 'en'
  const customised = platforms.filter((platform) => isCustomised(draft, platform))
  const tabs: Tab[] = (all && tab === 'all' ? ['all' as const, ...customised] : [tab]).filter((one) =>
    captionIn(draft, one).trim(),
  )
  const tooLong = useTooLong(draft, tabs)
  const ask = () =>
    onAsk(
      tabs.map((one) => ({
        question: {
          operation: 'translateCaption',
          body: {
            caption: captionIn(draft, one),
            ...(ctaIn(draft, one).trim() && { cta: ctaIn(draft, one).trim() }),
            ...(hashtagsOf(draft, one).length > 0 && { hashtags: hashtagsOf(draft, one) }),
            targetLanguage: language.trim(),
            ...contextOf(voice, one, postId),
          },
        },
        tab: one,
      })),
    )
  return (
    <AskForm>
      <Note>{tooLong}</Note>
      <Pair>
        <ChoiceField
          label={ai('languageTo')}
          maxLength={60}
          choices={languages}
          value={language}
          onChange={(to) => onType({ language: to })}
        />
        <VoiceField voice={voice} onVoice={onVoice} />
      </Pair>
      {tab === 'all' && customised.length > 0 && (
        <Check checked={all} onChange={(on) => onType({ all: on })}>
          {t('translateAll', { count: customised.length })}
        </Check>
      )}
      <AskButton
        operation="translateCaption"
        cost={COSTS.translate * Math.max(1, tabs.length)}
        busy={working}
        reason={tabs.length === 0 ? t('textFirst') : language.trim().length < 2 ? t('languageFirst') : tooLong}
        icon={<Languages className="size-4" aria-hidden />}
        label={t('translate')}
        onAsk={ask}
      />
    </AskForm>
  )
}
