import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Keyboard, LogOut, Monitor, Moon, ShieldCheck, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Role } from '../../../src/core/http/endpoint.ts'
import type { Language, Profile } from '../../../src/team/identity/api.ts'
import { call } from '../../client.ts'
import { DENSITIES, readDensity, writeDensity } from '../../density.ts'
import { LANGUAGES } from '../../languages.ts'
import { useProblemText } from '../../problem.ts'
import { meQuery } from '../../queries.ts'
import { toast } from '../../toast.ts'
import { readTheme, writeTheme } from '../../theme.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine, MenuLink, MenuRadio } from '../../ui/menu.tsx'
import { useSignOut } from '../team/auth/use-auth.ts'

const THEMES = [
  ['light', Sun],
  ['dark', Moon],
  ['system', Monitor],
] as const

interface Props {
  me: Profile
  /** The person's role in the open workspace. */
  role?: Role | undefined
  compact?: boolean
  /** Opens the list of shortcuts. */
  onKeys: () => void
}

/** Changes the language of the screens and of emails. */
function useSpeak() {
  const text = useProblemText()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (language: Language) => call('updateMe', { body: { language } }),
    onSuccess: (answer) => client.setQueryData(meQuery.queryKey, answer),
    onError: (error) => toast.error(text(error)),
  })
}

export function ProfileMenu({ me, role, compact, onKeys }: Props) {
  const t = useTranslations('shell')
  const [theme, setTheme] = useState(readTheme)
  const [density, setDensity] = useState(readDensity)
  const roles = useTranslations('states.roles')
  const speak = useSpeak()
  const signOut = useSignOut()
  const name = me.name || me.email || t('you')
  const label = t('profileMenu', { name })
  return (
    <Menu
      label={label}
      align={compact ? 'end' : 'start'}
      side={compact ? 'bottom' : 'top'}
      trigger={(props) => (
        <button
          type="button"
          {...props}
          className="flex min-h-10 min-w-0 grow items-center gap-2 rounded-md px-1.5 max-md:grow-0 text-start hover:bg-hover max-md:min-h-11 max-md:min-w-11 max-md:justify-center"
        >
          <Avatar name={name} url={me.avatarUrl} />
          <span className="sr-only">{compact ? label : t('yourAccount')}</span>
          {!compact && (
            <span className="min-w-0">
              <span dir="auto" className="block clip text-13 font-medium">
                {name}
              </span>
              {role && <span className="block clip text-xs text-muted">{roles(role)}</span>}
            </span>
          )}
        </button>
      )}
    >
      <MenuLink to="/me">
        <UserRound className="size-4" aria-hidden />
        {t('profile')}
      </MenuLink>
      {me.isSuperAdmin && (
        <MenuLink to="/admin">
          <ShieldCheck className="size-4" aria-hidden />
          {t('admin')}
        </MenuLink>
      )}
      <div className="max-sm:hidden">
        <MenuItem onSelect={onKeys}>
          <Keyboard className="size-4" aria-hidden />
          {t('keys')}
        </MenuItem>
      </div>
      <MenuLine />
      <MenuGroup label={t('theme')}>
        {THEMES.map(([value, Icon]) => (
          <MenuRadio
            key={value}
            stay
            checked={theme === value}
            onSelect={() => {
              setTheme(value)
              writeTheme(value)
            }}
          >
            <span className="flex items-center gap-2">
              <Icon className="size-4" aria-hidden />
              {t(`themes.${value}`)}
            </span>
          </MenuRadio>
        ))}
      </MenuGroup>
      <MenuGroup label={t('language')}>
        {Object.entries(LANGUAGES).map(([value, own]) => (
          <MenuRadio key={value} stay checked={me.language === value} onSelect={() => speak.mutate(value as Language)}>
            <span lang={value} className="ps-6">
              {own}
            </span>
          </MenuRadio>
        ))}
      </MenuGroup>
      <div className="max-sm:hidden">
        <MenuGroup label={t('density')}>
          {DENSITIES.map((value) => (
            <MenuRadio
              key={value}
              stay
              checked={density === value}
              onSelect={() => {
                setDensity(value)
                writeDensity(value)
              }}
            >
              <span className="ps-6">{t(`densities.${value}`)}</span>
            </MenuRadio>
          ))}
        </MenuGroup>
      </div>
      <MenuLine />
      <MenuItem onSelect={() => signOut.mutate()}>
        <LogOut className="size-4 rtl:rotate-180" aria-hidden />
        {t('signOut')}
      </MenuItem>
    </Menu>
  )
}
