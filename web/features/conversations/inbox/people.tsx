import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { meQuery } from '../../../queries.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { MenuRadio } from '../../../ui/menu.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { everyMemberQuery } from '../../team/members/queries.ts'
import type { Assignee } from './use-acts.ts'

/** The people to whom a thread can be assigned, the current person first. */
export function usePeople() {
  const { ws } = usePlace()
  const { data: me } = useQuery(meQuery)
  const { data: members = [] } = useQuery(everyMemberQuery(ws))
  return members
    .flatMap(({ id, name, role }) =>
      id !== null && (role === 'OWNER' || role === 'ADMIN' || role === 'EDITOR')
        ? [{ id, name, mine: id === me?.id }]
        : [],
    )
    .toSorted((a, b) => Number(b.mine) - Number(a.mine) || a.name.localeCompare(b.name))
}

interface AssigneesProps {
  /** The current assignee; undefined if several threads differ. */
  assignee: string | null | undefined
  onAssign: (to: Assignee | null) => void
}

/** Menu items for the people to whom a thread can be assigned. */
export function Assignees({ assignee, onAssign }: AssigneesProps) {
  const t = useTranslations('inbox')
  const people = usePeople()
  return (
    <>
      {people.map(({ id, name, mine }) => (
        <MenuRadio key={id} checked={assignee === id} onSelect={() => onAssign({ id, name })}>
          <span className="flex items-center gap-2">
            <Avatar name={name} className="size-5" />
            <bdi>{mine ? t('you') : name}</bdi>
          </span>
        </MenuRadio>
      ))}
      <MenuRadio checked={assignee === null} onSelect={() => onAssign(null)}>
        {t('nobody')}
      </MenuRadio>
    </>
  )
}
