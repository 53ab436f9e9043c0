import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Check, ChevronDown } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuGroup, MenuLink } from '../../../ui/menu.tsx'
import { Page } from '../../../ui/page.tsx'
import { usePlace } from '../../shell/workspace.tsx'
import { sectionsFor } from './sections.ts'

/**
 * The settings of a workspace: a list of sections with the open one next to it, below it on a narrow screen. On a
 * phone, the list is a menu.
 */
export function SettingsFrame() {
  const t = useTranslations('settings')
  const { ws, membership } = usePlace()
  const sections = sectionsFor(membership)
  return (
    <Page title={t('title')}>
      <div className="grid grow grid-cols-[minmax(0,1fr)] content-start lg:grid-cols-[13rem_minmax(0,1fr)] lg:content-stretch">
        {sections.length > 1 && <PartMenu sections={sections} />}
        {sections.length > 1 && (
          <nav
            aria-label={t('sections')}
            className="flex flex-wrap max-sm:hidden gap-x-1 border-b px-3 lg:sticky lg:top-0 lg:flex-col lg:flex-nowrap lg:gap-0.5 lg:self-start lg:border-b-0 lg:p-3"
          >
            {sections.map(({ group, to, label }, at) => (
              <Fragment key={to}>
                {group !== sections[at - 1]?.group && (
                  <span className="px-3 pt-3 pb-1 text-xs font-medium text-muted first:pt-0 max-lg:hidden">
                    {t(`groups.${group}`)}
                  </span>
                )}
                <Link
                  to={to}
                  params={{ ws }}
                  activeOptions={{ exact: true, includeSearch: false }}
                  className="-mb-px inline-flex shrink-0 items-center border-b-2 border-transparent px-2 py-2.5 text-13 font-medium text-muted hover:text-fg max-sm:min-h-11 pointer-coarse:min-h-11 aria-[current=page]:border-accent aria-[current=page]:text-fg lg:m-0 lg:min-h-8 lg:rounded-md lg:border-b-0 lg:px-3 lg:py-0 lg:hover:bg-hover lg:aria-[current=page]:bg-accent-soft lg:aria-[current=page]:text-accent-text"
                >
                  {t(label)}
                </Link>
              </Fragment>
            ))}
          </nav>
        )}
        <div className={clsx('flex min-w-0 flex-col', sections.length > 1 ? 'lg:border-s' : 'lg:col-span-2')}>
          <Outlet />
        </div>
      </div>
    </Page>
  )
}

/** A menu of the sections, behind a button that names the open one. */
function PartMenu({ sections }: { sections: ReturnType<typeof sectionsFor> }) {
  const t = useTranslations('settings')
  const { ws } = usePlace()
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') })
  const pathOf = (to: string) => to.replace('$ws', ws)
  const groups = [...new Set(sections.map(({ group }) => group))]
  const open = sections.find(({ to }) => path.endsWith(pathOf(to)))
  return (
    <nav aria-label={t('sections')} className="border-b px-4 py-2 sm:hidden">
      <Menu
        label={t('sections')}
        trigger={(props) => (
          <Button {...props} className="w-full justify-between!">
            {open ? t(open.label) : t('sections')}
            <ChevronDown className="size-4 text-muted" aria-hidden />
          </Button>
        )}
      >
        {groups.map((group) => (
          <MenuGroup key={group} label={t(`groups.${group}`)}>
            {sections
              .filter((one) => one.group === group)
              .map(({ to, label }) => (
                <MenuLink key={to} to={pathOf(to)} activeOptions={{ exact: true, includeSearch: false }}>
                  <span className="grow">{t(label)}</span>
                  {open?.to === to && <Check className="size-4 text-accent-text" aria-hidden />}
                </MenuLink>
              ))}
          </MenuGroup>
        ))}
      </Menu>
    </nav>
  )
}
