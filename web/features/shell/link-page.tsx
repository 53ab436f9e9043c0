import type { UseQueryResult } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { LinkIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { isProblem } from '../../client.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useTitle } from '../../ui/page.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorView } from '../../ui/states.tsx'
import { OtherLanguages } from '../team/auth/other-languages.tsx'

interface Props<T> {
  query: UseQueryResult<T>
  /** The classes of the column. */
  className: string
  children: (data: T) => ReactNode
}

/**
 * The page of a public link, for people without an account: no navigation and no sign-in. An ended link reveals nothing
 * about the workspace.
 */
export function LinkPage<T>({ query, className, children }: Props<T>) {
  const column = clsx('mx-auto grid w-full', className)
  if (isProblem(query.error, 'link_expired', 'not_found'))
    return (
      <main>
        <Ended />
      </main>
    )
  if (query.data) return <div className={clsx(column, 'grid-cols-[minmax(0,1fr)]')}>{children(query.data)}</div>
  if (query.error)
    return (
      <main>
        <ErrorView whole error={query.error} retry={() => void query.refetch()} />
      </main>
    )
  return (
    <div className={clsx(column, 'gap-4 px-4 py-6')} aria-hidden>
      <div className="skeleton h-8" />
      <div className="skeleton h-96" />
    </div>
  )
}

function Ended() {
  const t = useTranslations('states')
  useTitle(t('linkEnded'))
  return (
    <Empty whole icon={LinkIcon} title={t('linkEnded')} role="alert">
      {t('linkEndedBody')}
    </Empty>
  )
}

/** The head of a public link's page: the workspace that shares it, the languages and the actions. */
export function LinkHead({
  workspace,
  actions,
  children,
}: {
  workspace: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <header className="grid gap-1 border-b bg-bg px-4 py-3">
      <div className="flex items-center gap-2">
        <p className="flex min-w-0 grow items-center gap-2 text-13 font-semibold">
          <Avatar name={workspace} square className="size-6" />
          <bdi dir="auto" className="clip">
            {workspace}
          </bdi>
        </p>
        <span className="print:hidden">
          <OtherLanguages />
          {actions}
        </span>
      </div>
      {children}
    </header>
  )
}
