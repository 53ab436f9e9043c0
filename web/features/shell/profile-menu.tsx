import { Keyboard, LogOut, Monitor, Moon, ShieldCheck, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
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
  compact?: boolean
  /** Shows the keys of the screen. */
  onKeys: () => void
}

export function ProfileMenu({ me, compact, onKeys }: Props) {
  const t = useTranslations('shell')
  const [theme, setTheme] = useState(readTheme)
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
          className="flex min-h-10 min-w-0 items-center gap-2 rounded-md px-1.5 text-start hover:bg-hover max-md:min-h-11 max-md:min-w-11 max-md:justify-center"
        >
          <Avatar name={name} url={me.avatarUrl} />
          <span className="sr-only">{compact ? label : t('yourAccount')}</span>
          {!compact && (
            <span className="min-w-0">
              <span dir="auto" className="block clip text-13 font-medium">
                {name}
              </span>
              {me.name && me.email && (
                <span dir="auto" className="block clip text-2xs text-muted">
                  {me.email}
                </span>
              )}
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
      <MenuItem onSelect={onKeys}>
        <Keyboard className="size-4" aria-hidden />
        {t('keys')}
      </MenuItem>
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
      <MenuLine />
      <MenuItem onSelect={() => signOut.mutate()}>
        <LogOut className="size-4 rtl:rotate-180" aria-hidden />
        {t('signOut')}
      </MenuItem>
    </Menu>
  )
}
