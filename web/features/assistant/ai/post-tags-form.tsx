import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { PostTags } from '../../../../src/assistant/ai/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { postTagsQuery } from './queries.ts'
import { useTagWords } from './tag-words.ts'

const FORMATS = ['text', 'picture', 'carousel', 'video'] as const satisfies PostTags['format'][]
const LONGEST = 60

/** Edits the tags of a live post. Sends only the changed ones. */
export default function PostTagsForm({ tags, onClose }: { tags: PostTags; onClose: () => void }) {
  const t = useTranslations('ai')
  const common = useTranslations('common')
  const words = useTagWords()
  const text = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [topic, setTopic] = useState(words.topic(tags.topic))
  const [tone, setTone] = useState(words.tone(tags.tone))
  const [format, setFormat] = useState<PostTags['format']>(tags.format)
  const save = useMutation({
    mutationFn: () =>
      call('setPostTags', {
        workspace: ws,
        params: { id: tags.postId },
        body: {
          format,
          ...(topic.trim() !== words.topic(tags.topic) && { topic: topic.trim() }),
          ...(tone.trim() !== words.tone(tags.tone) && { tone: tone.trim() }),
        },
      }),
    onSuccess: ({ data }) => {
      client.setQueryData(postTagsQuery(ws, tags.postId).queryKey, data)
      void client.invalidateQueries({ queryKey: [ws, 'analytics', 'tags'] })
      onClose()
    },
  })
  const isEmpty = topic.trim() === '' || tone.trim() === ''
  return (
    <form
      noValidate
      aria-labelledby="correct-tags"
      className="card grid grid-cols-[minmax(0,1fr)] gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty && !save.isPending) save.mutate()
      }}
    >
      <h2 id="correct-tags" className="text-13 font-semibold">
        {t('correctTags')}
      </h2>
      {save.error && <FormError>{text(save.error)}</FormError>}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-3">
        <TextField
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- for a form that was asked for just now
          autoFocus
          label={t('tagTopic')}
          dir="auto"
          maxLength={LONGEST}
          value={topic}
          onChange={({ target }) => setTopic(target.value)}
        />
        <SelectField
          label={t('tagFormat')}
          value={format}
          options={FORMATS.map((value) => [value, t(`formats.${value}`)] as const)}
          onChange={setFormat}
        />
        <TextField
          label={t('tone')}
          dir="auto"
          maxLength={LONGEST}
          value={tone}
          onChange={({ target }) => setTone(target.value)}
        />
      </div>
      <p className="text-xs text-muted">{t('correctionStays')}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" busy={save.isPending} reason={isEmpty ? t('tagsMissing') : null}>
          {common('save')}
        </Button>
        <Button onClick={onClose}>{common('cancel')}</Button>
      </div>
    </form>
  )
}
