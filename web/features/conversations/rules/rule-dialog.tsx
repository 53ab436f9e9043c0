import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { EscalationRule } from '../../../../src/conversations/escalation/api.ts'
import { namesSomething } from '../../../../src/conversations/escalation/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { SelectField } from '../../../ui/select.tsx'
import { TagField } from '../../../ui/tag-field.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { rulesQuery } from './queries.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'

interface Props {
  /** The rule to edit; null creates a new one. */
  rule: EscalationRule | null
  onClose: () => void
}

const ASSIGNED = ['EDITOR', 'ADMIN', 'OWNER'] as const
const NOTIFIED = ['OWNER', 'ADMIN', 'EDITOR', 'VIEWER'] as const
const EMPTY = {
  keywords: [],
  intents: [],
  urgency: null,
  sentiment: null,
  assignToRole: null,
  notifyRoles: [],
} satisfies Partial<EscalationRule>

/** Creates or edits an escalation rule. Conditions that the form does not show stay unchanged. */
export function RuleDialog({ rule, onClose }: Props) {
  const t = useTranslations('rules')
  const roles = useTranslations('states.roles')
  const urgencies = useTranslations('inbox.urgencies')
  const problem = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [keywords, setKeywords] = useState<string[]>(rule?.keywords ?? EMPTY.keywords)
  const [urgency, setUrgency] = useState<EscalationRule['urgency']>(rule?.urgency ?? null)
  const [assignToRole, setAssigned] = useState<EscalationRule['assignToRole']>(rule?.assignToRole ?? null)
  const [notifyRoles, setNotified] = useState<EscalationRule['notifyRoles']>(rule?.notifyRoles ?? EMPTY.notifyRoles)
  const [tried, setTried] = useState(false)
  const wanted = { keywords, urgency, assignToRole, notifyRoles }
  const empty = !namesSomething({ ...EMPTY, ...rule, ...wanted })
  const save = useMutation({
    mutationFn: () =>
      rule
        ? call('updateEscalationRule', {
            workspace: ws,
            params: { id: rule.id },
            ifMatch: rule.version,
            body: wanted,
          })
        : call('createEscalationRule', { workspace: ws, body: wanted }),
    onSuccess: () => {
      toast.success(t('saved'))
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: rulesQuery(ws).queryKey }),
  })
  const submit = () => {
    setTried(true)
    if (!empty) save.mutate()
  }
  return (
    <FormDialog
      title={t(rule ? 'editTitle' : 'new')}
      busy={save.isPending}
      error={save.error && problem(save.error)}
      onClose={onClose}
      onSubmit={submit}
    >
      <TagField
        label={t('keywords')}
        hint={t('keywordsHint')}
        values={keywords}
        onChange={setKeywords}
        most={200}
        maxLength={100}
        error={tried && empty ? t('empty') : undefined}
      />
      <SelectField
        label={t('urgency')}
        hint={t('urgencyHint')}
        value={urgency ?? ''}
        options={[
          ['', t('anyUrgency')],
          ...(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const)
            // The lowest urgency matches every message, so only a rule that already has it offers it.
            .filter((one) => one !== 'LOW' || rule?.urgency === 'LOW')
            .map((one) => [one, t('atLeast', { urgency: urgencies(one) })] as const),
        ]}
        onChange={(next) => setUrgency(next === '' ? null : next)}
      />
      <SelectField
        label={t('assign')}
        hint={t('assignHint')}
        value={assignToRole ?? ''}
        options={[['', t('assignNobody')], ...ASSIGNED.map((role) => [role, roles(role)] as const)]}
        onChange={(next) => setAssigned(next === '' ? null : next)}
      />
      <fieldset>
        <legend className="mb-1 text-13 font-medium">{t('notify')}</legend>
        <div className="flex flex-wrap gap-x-5">
          {NOTIFIED.map((role) => (
            <label key={role} className="flex min-h-8 items-center gap-2 text-13 max-sm:min-h-11">
              <input
                type="checkbox"
                className="size-4 accent-(--accent) max-sm:size-6"
                checked={notifyRoles.includes(role)}
                onChange={(event) =>
                  setNotified(
                    NOTIFIED.filter((one) => (one === role ? event.target.checked : notifyRoles.includes(one))),
                  )
                }
              />
              {roles(role)}
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
