import type { UseQueryResult } from '@tanstack/react-query'
import { type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Loaded } from '../../../ui/states.tsx'
import type { useMay } from '../../shell/workspace.tsx'

interface Props<Item> {
  query: UseQueryResult<Item[]>
  /** Shown instead of an empty list. */
  none: { icon: LucideIcon; title: string; body: string }
  lead: string
  /** The action that creates an item, and whether it is allowed. */
  add: { name: string; may: ReturnType<typeof useMay>; onAdd: () => void }
  /** A filter for the list, next to that action. */
  search?: ReactNode
  /** The list, and anything below it. */
  children: (items: Item[]) => ReactNode
  /** Dialogs for the list. */
  dialogs?: ReactNode
}

/** A settings section that is a list: its purpose, its items, and an action that creates one. */
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
