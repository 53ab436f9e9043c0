import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, BookmarkCheck, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { SavedView } from '../../../../src/publishing/views/api.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { toast } from '../../../toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuGroup, MenuItem, MenuLine, MenuRadio } from '../../../ui/menu.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { filterOf, isFiltered, keptOf, NO_FILTER, sameFilter } from '../posts/filters.ts'
import type { Filter } from '../posts/read-filter.ts'
import { viewsQuery } from './query.ts'
import { ViewDialog } from './view-dialog.tsx'

interface Props {
  screen: SavedView['screen']
  filter: Filter
  onChange: (change: Filter) => void
}

/** Saved filters: the person's own, and those that an admin shares with everyone. */
export default function ViewsMenu({ screen, filter, onChange }: Props) {
  const t = useTranslations('views')
  const text = useProblemText()
  const client = useQueryClient()
  const { ws, membership } = usePlace()
  const { data = [] } = useQuery(viewsQuery(ws))
  const [naming, setNaming] = useState<SavedView | 'new' | null>(null)
  const admin = membership.role === 'OWNER' || membership.role === 'ADMIN'
  const views = data.filter((one) => one.screen === screen)
  const current = views.find((one) => sameFilter(filterOf(one.filters), filter))
  const refresh = () => client.invalidateQueries({ queryKey: viewsQuery(ws).queryKey })
  const restore = async ({ name, filters, shared }: SavedView) => {
    try {
      await call('createView', { workspace: ws, body: { name, screen, filters, shared } })
    } catch (error) {
      toast.error(text(error))
    }
    void refresh()
  }
  const remove = useMutation({
    mutationFn: ({ id }: SavedView) => call('deleteView', { workspace: ws, params: { id } }),
    onSuccess: (_, view) => {
      toast.success(t('deleted', { name: view.name }), {
        action: { label: t('undo'), onClick: () => void restore(view) },
      })
      void refresh()
    },
    onError: (error) => toast.error(text(error)),
  })
  const replace = useMutation({
    mutationFn: ({ view, filters }: { view: SavedView; filters: SavedView['filters'] }) =>
      call('updateView', { workspace: ws, params: { id: view.id }, ifMatch: view.version, body: { filters } }),
    onSuccess: (answer, { view }) => {
      const undo = () => replace.mutate({ view: answer, filters: view.filters })
      toast.success(t('replaced', { name: view.name }), { action: { label: t('undo'), onClick: undo } })
    },
    onError: (error) => toast.error(text(error)),
    onSettled: refresh,
  })
  const own = views.filter((one) => admin || !one.shared)
  const group = (shared: boolean) => {
    const some = views.filter((one) => one.shared === shared)
    return (
      some.length > 0 && (
        <MenuGroup label={t(shared ? 'shared' : 'mine')}>
          {some.map((one) => (
            <MenuRadio
              key={one.id}
              checked={one === current}
              onSelect={() => onChange(one === current ? NO_FILTER : { ...NO_FILTER, ...filterOf(one.filters) })}
            >
              <bdi className="clip">{one.name}</bdi>
            </MenuRadio>
          ))}
        </MenuGroup>
      )
    )
  }
  return (
    <>
      <Menu
        label={t('title')}
        align="end"
        trigger={(props) => (
          <Button variant="ghost" className="max-w-48" {...props}>
            <Bookmark className="size-4 shrink-0" aria-hidden />
            {current ? (
              <>
                <span className="sr-only">{t('title')}: </span>
                <bdi className="max-w-36 clip">{current.name}</bdi>
              </>
            ) : (
              t('title')
            )}
          </Button>
        )}
      >
        {views.length === 0 && <p className="px-2 py-1.5 text-xs text-muted">{t('none')}</p>}
        {group(false)}
        {group(true)}
        {isFiltered(filter) && (
          <>
            <MenuLine />
            {!current && (
              <MenuItem onSelect={() => setNaming('new')}>
                <Plus className="size-4" aria-hidden />
                {t('save')}
              </MenuItem>
            )}
            {!current && own.length > 0 && (
              <MenuGroup label={t('replace')}>
                {own.map((one) => (
                  <MenuItem key={one.id} onSelect={() => replace.mutate({ view: one, filters: keptOf(filter) })}>
                    <BookmarkCheck className="size-4 shrink-0" aria-hidden />
                    <bdi className="clip">{one.name}</bdi>
                  </MenuItem>
                ))}
              </MenuGroup>
            )}
            {current && (admin || !current.shared) && (
              <>
                <MenuItem onSelect={() => setNaming(current)}>
                  <Pencil className="size-4" aria-hidden />
                  {t('rename', { name: current.name })}
                </MenuItem>
                <MenuItem danger onSelect={() => remove.mutate(current)}>
                  <Trash2 className="size-4" aria-hidden />
                  {t('delete', { name: current.name })}
                </MenuItem>
              </>
            )}
          </>
        )}
      </Menu>
      {naming && (
        <ViewDialog
          view={naming === 'new' ? null : naming}
          screen={screen}
          filter={filter}
          shares={admin}
          onClose={() => setNaming(null)}
        />
      )}
    </>
  )
}
