import { type FormEvent, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { BotConfig } from '../../../../../src/conversations/bot/config/api.ts'
import { Button } from '../../../../ui/button.tsx'
import { Cancel, Dialog } from '../../../../ui/dialog.tsx'
import { described, Frame, TextField } from '../../../../ui/field.tsx'
import { TagField } from '../../../../ui/tag-field.tsx'
import { type KnowledgeEntry, withWritten, type EntryFields } from './entries.ts'

interface Props {
  /** null for a new entry. */
  entry: KnowledgeEntry | null
  /** The initial values of a new entry. */
  begin?: Partial<EntryFields>
  knowledge: Pick<BotConfig, 'faqEntries' | 'knowledgeBase'>
  /** Whether the content is read-only. */
  fixed: boolean
  /** Whether the maximum number of answers is reached. */
  full: boolean
  onWritten: (change: Partial<BotConfig>) => void
  onClose: () => void
}

const LONGEST = { answer: { title: 500, text: 4_000 }, text: { title: 100, text: 50_000 } } as const

/** Edits one piece of knowledge. It is saved together with the other settings. */
export function EntryDialog({ entry, begin, knowledge, fixed, full, onWritten, onClose }: Props) {
  const t = useTranslations('bot.know')
  const common = useTranslations('common')
  const form = useId()
  const field = useId()
  const [kind, setKind] = useState<KnowledgeEntry['kind']>(entry?.kind ?? begin?.kind ?? 'answer')
  const [title, setTitle] = useState(entry?.title ?? begin?.title ?? '')
  const [text, setText] = useState(entry?.text ?? begin?.text ?? '')
  const [tags, setTags] = useState(entry?.kind === 'answer' ? entry.tags : [])
  const [tried, setTried] = useState(false)
  const readOnly = fixed || (entry?.kind === 'text' && !entry.isPlain)
  const taken =
    kind === 'answer'
      ? knowledge.faqEntries.some(
          ({ question }, at) =>
            question.toLowerCase() === title.trim().toLowerCase() && !(entry?.kind === 'answer' && entry.at === at),
        )
      : title.trim() in knowledge.knowledgeBase && !(entry?.kind === 'text' && entry.name === title.trim())
  const noTitle = title.trim() === '' ? t('titleMissing') : taken ? t(`taken.${kind}`) : null
  const noText = text.trim() === '' ? t('textMissing') : null
  const tooMany = full && entry === null && kind === 'answer' ? t('full') : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (noTitle || noText || tooMany || readOnly) return
    onWritten(withWritten(knowledge, { kind, title: title.trim(), text: text.trim(), tags }, entry))
  }
  const textFault = tried ? noText : null
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      guarded
      title={readOnly && entry ? t(`kinds.${entry.kind}`) : t(entry ? 'edit' : 'new')}
      footer={
        readOnly ? (
          <Button onClick={onClose}>{common('close')}</Button>
        ) : (
          <>
            <Cancel />
            <Button variant="primary" type="submit" form={form}>
              {t(entry ? 'apply' : 'add')}
            </Button>
          </>
        )
      }
    >
      <form id={form} noValidate onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {entry === null && (
          <div role="group" aria-label={t('kind')} className="segments justify-self-start">
            {(['answer', 'text'] as const).map((one) => (
              <button
                key={one}
                type="button"
                className="segment max-sm:min-h-11"
                aria-pressed={kind === one}
                onClick={() => setKind(one)}
              >
                {t(`kinds.${one}`)}
              </button>
            ))}
          </div>
        )}
        <TextField
          label={t(`title_.${kind}`)}
          hint={!readOnly && t(`titleHint.${kind}`)}
          dir="auto"
          autoComplete="off"
          maxLength={LONGEST[kind].title}
          readOnly={readOnly}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          error={tried && (tooMany ?? noTitle)}
        />
        <Frame id={field} label={t(`text_.${kind}`)} error={textFault}>
          <textarea
            id={field}
            rows={kind === 'answer' ? 4 : 8}
            dir="auto"
            className="input"
            maxLength={LONGEST[kind].text}
            readOnly={readOnly}
            aria-invalid={textFault ? true : undefined}
            aria-describedby={described(field, null, textFault)}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Frame>
        {kind === 'answer' && (
          <TagField
            label={t('tags')}
            hint={t('tagsHint')}
            values={tags}
            onChange={setTags}
            most={20}
            maxLength={50}
            fixed={readOnly}
          />
        )}
        {entry?.kind === 'text' && !entry.isPlain && <p className="text-xs text-muted">{t('byApi')}</p>}
      </form>
    </Dialog>
  )
}
