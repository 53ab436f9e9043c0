import type { UseQueryResult } from '@tanstack/react-query'
import { type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import type { useMay } from '../../shell/workspace.tsx'

interface Props<Item> {
  query: UseQueryResult<Item[]>
  /** What is shown in the place of an empty list. */
  none: { icon: LucideIcon; title: string; body: string }
  lead: string
  /** The act that makes a new item, and whether it is allowed. */
  add: { name: string; may: ReturnType<typeof useMay>; onAdd: () => void }
  /** Narrows the list; it stands beside that act. */
  search?: ReactNode
  /** The list, and what is said below it. */
  children: (items: Item[]) => ReactNode
  /** The dialogs over it. */
  dialogs?: ReactNode
}

/** A part of the settings that is a list: what it is for, its items, and the act that makes a new one. */
export function SettingsList<Item>({ query, none, lead, add, search, children, dialogs }: Props<Item>) {
  const { name, may, onAdd } = add
  const act = !may.hidden && (
    <Button variant="primary" reason={may.reason} onClick={onAdd}>
      <Plus className="size-4" aria-hidden />
      {name}
    </Button>
  )
  return (
    <div className="settings-column gap-4">
      <Loaded query={query} skeleton={<div className="skeleton h-40" aria-hidden />}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={none.icon} title={none.title} actions={act}>
              {none.body}
            </Empty>
          ) : (
            <>
              {search && <p className="text-13 text-muted">{lead}</p>}
              <div className="flex flex-wrap items-center justify-between gap-3">
                {search ?? <p className="min-w-0 grow basis-60 text-13 text-muted">{lead}</p>}
                {act}
              </div>
              {children(items)}
            </>
          )
        }
      </Loaded>
      {dialogs}
    </div>
  )
}
