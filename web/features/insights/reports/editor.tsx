import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Report, ReportSection } from '../../../../src/insights/reports/api.ts'
import { call, isProblem } from '../../../client.ts'
import { NETWORKS } from '../../../labels.ts'
import { useProblemText } from '../../../problem.ts'
import { accountsQuery } from '../../../queries.ts'
import { addDays, addMonths, dateIn } from '../../../time.ts'
import { toast } from '../../../toast.ts'
import { DateField } from '../../../ui/date-field.tsx'
import { described, Frame, TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { everyMemberQuery } from '../../team/members/queries.ts'
import { useReportWords } from './words.ts'

const SECTIONS: readonly ReportSection[] = ['overview', 'posts', 'tags', 'bestTimes']
const LONGEST = 366

/** Creates or edits a report. */
export default function ReportEditor({ report, onClose }: { report: Report | null; onClose: () => void }) {
  const t = useTranslations('reports')
  const problem = useProblemText()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { ws, workspace } = usePlace()
  const say = useReportWords()
  const today = dateIn(new Date(), workspace.timezone)
  const given = report && report.range !== 'last_month' ? report.range : null
  const [tried, setTried] = useState(false)
  const [name, setName] = useState(report?.name ?? '')
  const [sections, setSections] = useState<readonly ReportSection[]>(report?.sections ?? ['overview', 'posts'])
  const [kind, setKind] = useState<'last_month' | 'days'>(given ? 'days' : 'last_month')
  const [from, setFrom] = useState(given?.from ?? addMonths(today, -1))
  const [last, setLast] = useState(given ? addDays(given.to, -1) : addDays(today, -1))
  const [note, setNote] = useState(report?.note ?? '')
  const [accountIds, setAccounts] = useState<readonly string[]>(report?.accountIds ?? [])
  const [forClients, setForClients] = useState(report?.forClients ?? false)
  const [mailTo, setMailTo] = useState<readonly string[]>(report?.mailTo ?? [])
  const readers = useReaders(forClients)
  const readersChanged =
    mailTo !== report?.mailTo || forClients !== report.forClients || (kind === 'days') !== (given !== null)
  const { data: accounts = [] } = useQuery(accountsQuery(ws))

  const wrong = {
    name: name.trim() === '' ? t('nameMissing') : null,
    sections: sections.length === 0 ? t('sectionsMissing') : null,
    days: kind === 'days' && !(from <= last && last < addDays(from, LONGEST)) ? t('daysWrong') : null,
  }
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim(),
        sections: SECTIONS.filter((section) => sections.includes(section)),
        range: kind === 'last_month' ? kind : { from, to: addDays(last, 1) },
        note: note.trim(),
        accountIds: [...accountIds],
        forClients,
        ...(readersChanged && { mailTo: kind === 'last_month' ? mailTo.filter(readers.mayRead) : [] }),
      }
      return report
        ? call('updateReport', { workspace: ws, params: { id: report.id }, body, ifMatch: report.version })
        : call('createReport', { workspace: ws, body })
    },
    onSuccess: async ({ id }) => {
      toast.success(t('saved'))
      await client.invalidateQueries({ queryKey: [ws, 'reports'] })
      if (report) onClose()
      else await navigate({ to: '/w/$ws/analytics/reports/$id', params: { ws, id } })
    },
  })
  const isTaken = isProblem(save.error, 'name_taken')
  const submit = () => {
    setTried(true)
    if (Object.values(wrong).every((fault) => fault === null)) save.mutate()
  }
  return (
    <FormDialog
      title={t(report ? 'edit' : 'new')}
      {...(!report && { action: t('create') })}
      busy={save.isPending}
      error={save.error && !isTaken ? problem(save.error) : null}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={t('name')}
        dir="auto"
        autoComplete="off"
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={isTaken ? t('taken') : tried && wrong.name}
      />
      <Choices
        label={t('sections')}
        error={tried && wrong.sections}
        options={SECTIONS.map((section) => ({ id: section, name: t(`section.${section}`) }))}
        chosen={sections}
        onChange={setSections}
      />
      <SelectField
        label={t('range')}
        value={kind}
        options={[
          ['last_month', t('ranges.last_month', { month: say.month(addMonths(today, -1)) })],
          ['days', t('ranges.days')],
        ]}
        onChange={setKind}
      />
      {kind === 'days' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <DateField label={t('from')} place={workspace} value={from} max={today} onChange={setFrom} />
          <DateField
            label={t('to')}
            place={workspace}
            value={last}
            max={today}
            onChange={setLast}
            error={tried && wrong.days}
          />
        </div>
      )}
      {accounts.length > 1 && (
        <Choices
          label={t('accounts')}
          hint={t('accountsHint')}
          options={accounts.map((account) => ({
            id: account.id,
            name: `${account.name} · ${NETWORKS[account.platform].short}`,
          }))}
          chosen={accountIds}
          onChange={setAccounts}
        />
      )}
      <Note value={note} onChange={setNote} />
      <Check checked={forClients} onChange={setForClients}>
        {t('forClients')}
      </Check>
      {kind === 'days' ? (
        <p className="text-xs text-muted">{t('mailOnlyMonth')}</p>
      ) : (
        <Choices
          label={t('mailTo')}
          hint={t('mailHint')}
          options={readers.options}
          chosen={mailTo}
          onChange={setMailTo}
        />
      )}
    </FormDialog>
  )
}

/**
 * The members who may receive a report by email. Clients only if the report is for clients. Until the members are
 * loaded, `mayRead` keeps everyone.
 */
function useReaders(forClients: boolean): {
  options: { id: string; name: string }[]
  mayRead: (id: string) => boolean
} {
  const { ws } = usePlace()
  const { data: members } = useQuery(everyMemberQuery(ws))
  const options = (members ?? []).flatMap(({ userId, name, role }) =>
    userId !== null && (role !== 'CLIENT' || forClients) ? [{ id: userId, name }] : [],
  )
  return { options, mayRead: (id) => !members || options.some((option) => option.id === id) }
}

function Note({ value, onChange }: { value: string; onChange: (note: string) => void }) {
  const t = useTranslations('reports')
  const id = useId()
  return (
    <Frame id={id} label={t('note')} hint={t('noteHint')}>
      <textarea
        id={id}
        rows={3}
        dir="auto"
        maxLength={2000}
        className="input"
        aria-describedby={described(id, true, false)}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Frame>
  )
}

interface ChoicesProps<T extends string> {
  label: string
  hint?: string
  error?: ReactNode
  options: readonly { id: T; name: string }[]
  chosen: readonly T[]
  onChange: (chosen: readonly T[]) => void
}

/** A multiple choice among a few options. */
function Choices<T extends string>({ label, hint, error, options, chosen, onChange }: ChoicesProps<T>) {
  const id = useId()
  return (
    <fieldset className="grid gap-1" aria-describedby={described(id, hint, error)}>
      <legend className="mb-1 text-13 font-medium">{label}</legend>
      {options.map((option) => (
        <Check
          key={option.id}
          checked={chosen.includes(option.id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, option.id] : chosen.filter((one) => one !== option.id))}
        >
          <bdi>{option.name}</bdi>
        </Check>
      ))}
      {hint && !error && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface CheckProps {
  checked: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}

const Check = ({ checked, onChange, children }: CheckProps) => (
  <label className="flex min-h-8 items-center gap-2.5 text-13 max-sm:min-h-11">
    <input
      type="checkbox"
      className="size-4 accent-(--accent)"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
    {children}
  </label>
)
