import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import type { AudiencePatch, OpenAudienceNode } from '../../../../src/conversations/audience/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TagField } from '../../../ui/tag-field.tsx'
import { usePlace } from '../../shell/workspace.tsx'

/** The languages to choose from. The customer's own language is added to them. */
const OFFERED = [
  'ar',
  'de',
  'en',
  'es',
  'fr',
  'hi',
  'id',
  'it',
  'ja',
  'ko',
  'nl',
  'pl',
  'pt',
  'ru',
  'sv',
  'tr',
  'uk',
  'zh',
]
const MOST_TAGS = 20
const LONGEST_TAG = 40

/** Edits the name, language and tags of a customer. Sends only the changed fields. */
export function EditDialog({ customer, onClose }: { customer: OpenAudienceNode; onClose: () => void }) {
  const t = useTranslations('audience')
  const problem = useProblemText()
  const client = useQueryClient()
  const locale = useLocale()
  const { ws } = usePlace()
  const [edited, setEdited] = useState<Pick<AudiencePatch, 'name' | 'language' | 'tags'>>({})
  const { name, language, tags } = { ...customer, ...edited }
  const save = useMutation({
    mutationFn: () =>
      call('updateCustomer', {
        workspace: ws,
        params: { id: customer.id },
        body: { ...edited, name: edited.name?.trim() || undefined },
        ifMatch: customer.version,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [ws, 'audience'] })
      toast.success(t('saved'))
      onClose()
    },
    onError: () => client.invalidateQueries({ queryKey: [ws, 'audience', 'customer', customer.id] }),
  })
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  const codes = [...new Set([...OFFERED, ...(customer.language ? [customer.language] : [])])]
  const languages = codes
    .map((code) => [code, names.of(code) ?? code] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b, locale))
  return (
    <FormDialog
      title={t('edit')}
      busy={save.isPending}
      error={save.error && problem(save.error)}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        dir="auto"
        autoComplete="off"
        maxLength={100}
        value={name}
        onChange={({ target }) => setEdited({ ...edited, name: target.value })}
      />
      <SelectField
        label={t('language')}
        value={language ?? ''}
        options={[['', t('noLanguage')] as const, ...languages]}
        onChange={(next) => setEdited({ ...edited, language: next || null })}
      />
      <TagField
        label={t('tags')}
        hint={t('tagsHint')}
        values={tags}
        onChange={(next) => setEdited({ ...edited, tags: next })}
        most={MOST_TAGS}
        maxLength={LONGEST_TAG}
      />
    </FormDialog>
  )
}
