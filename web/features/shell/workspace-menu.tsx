import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, LayoutGrid, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Profile } from '../../../src/team/identity/api.ts'
import { startOf } from '../../home.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine, MenuRadio } from '../../ui/menu.tsx'
import { lazy } from '../../ui/part.tsx'

const NewWorkspace = lazy(async () => ({ default: (await import('./new-workspace.tsx')).NewWorkspace }))

interface Props {
  me: Profile
  current: Profile['workspaces'][number] | undefined
}

/** The name of the workspace, always visible, with a menu to switch to another or create one. */
export function WorkspaceMenu({ me, current }: Props) {
  const t = useTranslations('shell')
  const roles = useTranslations('states.roles')
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const name = current?.name ?? 'Parley'
  return (
    <>
      <Menu
        label={t('workspaces')}
        trigger={(props) => (
          <button
            type="button"
            {...props}
            className="flex min-h-12 min-w-0 items-center gap-2 rounded-md px-2 text-start hover:bg-hover max-md:min-h-11"
          >
            <Avatar name={name} square className="size-6 bg-fg! text-bg! max-[25rem]:hidden" />
            <span className="sr-only">{t('switchWorkspace')}</span>
            <bdi dir="auto" className="clip text-13 font-semibold">
              {name}
            </bdi>
            <ChevronsUpDown className="ms-auto size-3.5 shrink-0 text-muted" aria-hidden />
          </button>
        )}
      >
        {me.workspaces.length > 0 && (
          <MenuGroup label={t('workspaces')}>
            {me.workspaces.map((one) => (
              <MenuRadio
                key={one.id}
                checked={one.id === current?.id}
                onSelect={() => void navigate({ to: startOf(one), params: { ws: one.id } })}
              >
                <span className="block break-words">
                  <bdi>{one.name}</bdi>
                </span>
                <span className="block text-2xs text-muted">{roles(one.role)}</span>
              </MenuRadio>
            ))}
          </MenuGroup>
        )}
        <MenuLine />
        {me.workspaces.length > 1 && (
          <MenuItem onSelect={() => void navigate({ to: '/overview' })}>
            <LayoutGrid className="size-4" aria-hidden />
            {t('overview')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => setMaking(true)}>
          <Plus className="size-4" aria-hidden />
          {t('newWorkspace')}
        </MenuItem>
      </Menu>
      {making && (
        <Suspense>
          <NewWorkspace onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </>
  )
}
