import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/identity/api.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Menu, MenuGroup, MenuRadio } from '../../ui/menu.tsx'

interface Props {
  me: Profile
  current: Profile['workspaces'][number] | undefined
}

/** The name of the workspace, always in sight; a menu as soon as there are several. */
export function WorkspaceMenu({ me, current }: Props) {
  const t = useTranslations('shell')
  const navigate = useNavigate()
  const name = current?.name ?? 'Parley'
  const face = (
    <>
      <Avatar name={name} square className="size-6" />
      <bdi className="truncate text-13 font-semibold">{name}</bdi>
    </>
  )
  if (me.workspaces.length < 2) return <div className="flex min-h-9 min-w-0 items-center gap-2 px-1.5">{face}</div>
  return (
    <Menu
      label={t('workspaces')}
      trigger={(props) => (
        <button
          type="button"
          {...props}
          aria-label={t('switchWorkspace', { name })}
          className="flex min-h-9 min-w-0 items-center gap-2 rounded-[7px] px-1.5 text-start hover:bg-hover max-md:min-h-11"
        >
          {face}
          <ChevronsUpDown className="ms-auto size-3.5 shrink-0 text-muted" aria-hidden />
        </button>
      )}
    >
      <MenuGroup label={t('workspaces')}>
        {me.workspaces.map((one) => (
          <MenuRadio
            key={one.id}
            checked={one.id === current?.id}
            onSelect={() => void navigate({ to: '/w/$ws/calendar', params: { ws: one.id } })}
          >
            <bdi>{one.name}</bdi>
          </MenuRadio>
        ))}
      </MenuGroup>
    </Menu>
  )
}
