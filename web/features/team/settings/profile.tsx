import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { toast } from '../../../toast.ts'
import { useTranslations } from 'use-intl'
import type { Language, Profile } from '../../../../src/team/identity/api.ts'
import { call, isProblem } from '../../../client.ts'
import { keepHome } from '../../../home.ts'
import { useFaults, useProblemText } from '../../../problem.ts'
import { meQuery } from '../../../queries.ts'
import { rebase } from '../../../rebase.ts'
import { shortcutsOn, turnShortcuts } from '../../../shortcuts.ts'
import { readTheme, type Theme, writeTheme } from '../../../theme.ts'
import { Button } from '../../../ui/button.tsx'
import { FormError, TextField } from '../../../ui/field.tsx'
import { LeaveQuestion, useLeaveGuard } from '../../../ui/leave-guard.tsx'
import { Page } from '../../../ui/page.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { useSignOut } from '../auth/use-auth.ts'
import { PreferencesCard } from '../notifications/preferences-card.tsx'
import { ContactCard } from '../profile/contact-card.tsx'
import { SessionsCard } from '../profile/sessions-card.tsx'
import { NewWorkspace } from '../../shell/new-workspace.tsx'
import { PageSkeleton } from '../../shell/shell.tsx'
import { DeletedWorkspaces } from './deleted-workspaces.tsx'
import { LanguageField } from './language-field.tsx'
import { PasswordCard } from './password-card.tsx'
import { type CameBack, News, WaysIn } from './ways-in.tsx'
import { ZoneField } from './zone-field.tsx'

export function ProfileScreen({ cameBack }: { cameBack: CameBack }) {
  const t = useTranslations('profile')
  const query = useQuery(meQuery)
  const signOut = useSignOut()
  return (
    <Page title={t('title')}>
      <Loaded query={query} skeleton={<PageSkeleton />}>
        {(me) => (
          <div className="mx-auto grid w-full max-w-xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 lg:px-6">
            <News {...cameBack} />
            {me.workspaces.length === 0 && <NoWorkspace />}
            <Person me={me} />
            <ContactCard me={me} />
            <WaysIn email={me.emailConfirmed ? me.email : null} />
            <PasswordCard me={me} />
            <SessionsCard />
            <PreferencesCard timezone={me.timezone} />
            <DeletedWorkspaces />
            <Appearance />
            <Shortcuts />
            <div>
              <Button busy={signOut.isPending} onClick={() => signOut.mutate()}>
                <LogOut className="size-4 rtl:rotate-180" aria-hidden />
                {t('signOut')}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Shown first to a person without a workspace: create one, or accept an invitation. */
function NoWorkspace() {
  const t = useTranslations('profile')
  const shell = useTranslations('shell')
  const [making, setMaking] = useState(false)
  return (
    <section className="card grid justify-items-start gap-3 p-5">
      <h2 className="text-sm font-semibold">{t('noWorkspace')}</h2>
      <p className="text-13 text-muted">{t('noWorkspaceBody')}</p>
      <Button variant="primary" onClick={() => setMaking(true)}>
        {shell('newWorkspace')}
      </Button>
      {making && <NewWorkspace onClose={() => setMaking(false)} />}
    </section>
  )
}

function Person({ me }: { me: Profile }) {
  const t = useTranslations('profile')
  const common = useTranslations('common')
  const text = useProblemText()
  const client = useQueryClient()
  const stored = {
    name: me.name,
    language: me.language as Language,
    timezone: me.timezone,
    defaultWorkspaceId: me.defaultWorkspaceId ?? undefined,
  }
  const [before, setBefore] = useState(stored)
  const [value, setValue] = useState(before)
  if (JSON.stringify(stored) !== JSON.stringify(before)) {
    setBefore(stored)
    setValue(rebase(value, before, stored))
  }
  const save = useMutation({
    mutationFn: () => call('updateMe', { body: { ...value, name: value.name.trim() } }),
    onSuccess: (answer) => {
      // The stored name has no space at its ends. With one, it would count as a name that is not saved yet.
      setValue((now) => (now.name.trim() === answer.name ? { ...now, name: answer.name } : now))
      client.setQueryData(meQuery.queryKey, answer)
      if (value.defaultWorkspaceId && value.defaultWorkspaceId !== before.defaultWorkspaceId)
        keepHome(value.defaultWorkspaceId)
      // A changed language is confirmation enough.
      if (answer.language === me.language) toast.success(t('saved'))
    },
  })
  const fault = useFaults(save.error)
  const same =
    value.name.trim() === before.name &&
    (['language', 'timezone', 'defaultWorkspaceId'] as const).every((key) => value[key] === before[key])
  const guard = useLeaveGuard(!same)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!same && !save.isPending) save.mutate()
  }
  return (
    <form onSubmit={submit} className="card grid gap-5 p-5">
      <h2 className="text-sm font-semibold">{t('you')}</h2>
      {save.error && !isProblem(save.error, 'validation_failed') && <FormError>{text(save.error)}</FormError>}
      <TextField
        label={t('name')}
        dir="auto"
        autoComplete="name"
        maxLength={100}
        value={value.name}
        onChange={(event) => setValue({ ...value, name: event.target.value })}
        error={fault('/name')}
      />
      <LanguageField
        label={t('language')}
        value={value.language}
        onChange={(language) => setValue({ ...value, language })}
        error={fault('/language')}
      />
      <ZoneField
        label={t('timezone')}
        hint={t('timezoneHint')}
        value={value.timezone}
        onChange={(timezone) => setValue({ ...value, timezone })}
        error={fault('/timezone')}
      />
      {me.workspaces.length > 1 && (
        <SelectField
          label={t('defaultWorkspace')}
          value={value.defaultWorkspaceId ?? ''}
          options={me.workspaces.map(({ id, name }) => [id, name])}
          onChange={(defaultWorkspaceId) => setValue({ ...value, defaultWorkspaceId })}
          error={fault('/defaultWorkspaceId')}
        />
      )}
      <div>
        <Button type="submit" variant="primary" busy={save.isPending} reason={same ? t('nothingChanged') : null}>
          {common('save')}
        </Button>
      </div>
      <LeaveQuestion guard={guard} />
    </form>
  )
}

function Appearance() {
  const t = useTranslations('shell')
  const [theme, setTheme] = useState(readTheme)
  return (
    <fieldset className="card p-5">
      <legend className="float-start mb-4 w-full text-sm font-semibold">{t('theme')}</legend>
      <div className="clear-both flex flex-wrap gap-2">
        {(['light', 'dark', 'system'] as const).map((value: Theme) => (
          <label
            key={value}
            className="flex min-h-9 items-center gap-2 rounded-md border border-control/60 px-3 text-13 has-checked:border-accent has-checked:bg-accent-soft max-sm:min-h-11"
          >
            <input
              type="radio"
              name="theme"
              className="size-4 accent-(--accent) max-sm:size-6"
              checked={theme === value}
              onChange={() => {
                setTheme(value)
                writeTheme(value)
              }}
            />
            {t(`themes.${value}`)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Shortcuts() {
  const t = useTranslations('profile')
  const [on, setOn] = useState(shortcutsOn)
  return (
    <div className="card grid gap-1 p-5">
      <label className="flex min-h-9 items-center gap-2.5 text-sm font-semibold max-sm:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-(--accent) max-sm:size-6"
          checked={on}
          onChange={(event) => {
            setOn(event.target.checked)
            turnShortcuts(event.target.checked)
          }}
        />
        {t('shortcuts')}
      </label>
      <p className="text-13 text-muted">{t('shortcutsHint')}</p>
    </div>
  )
}
