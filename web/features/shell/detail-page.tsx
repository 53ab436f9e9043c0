import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Operation } from '../../client.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Refused } from './refused.tsx'
import { refusal, usePlace } from './workspace.tsx'

interface Props<T, K extends QueryKey> {
  /** The operation that reads the object. A person without permission sees why. */
  operation: Operation
  query: UseQueryOptions<T, Error, T, K>
  nameOf: (data: T) => string
  /** Shown until the object's name is loaded. */
  title: string
  /** The list that contains the object, and its label. */
  list: { to: '/w/$ws/analytics/reports' | '/w/$ws/ab-tests' | '/w/$ws/audience'; label: string }
  actions?: (data: T) => ReactNode
  children: (data: T) => ReactNode
}

/** The page of one object: its name, a link back to its list, its actions, and its content in one column. */
export function DetailPage<T, K extends QueryKey>({
  operation,
  query,
  nameOf,
  title,
  list,
  actions,
  children,
}: Props<T, K>) {
  const { ws, membership } = usePlace()
  const refused = refusal(membership, operation)
  const read = useQuery({ ...query, enabled: !refused })
  if (refused)
    return (
      <Page title={title}>
        <Refused refused={refused} />
      </Page>
    )
  const name = read.data && nameOf(read.data)
  return (
    <Page
      title={name ?? title}
      heading={name && <bdi>{name}</bdi>}
      up={
        <Link to={list.to} params={{ ws }} className={buttonClass('ghost', 'icon')} aria-label={list.label}>
          <ChevronLeft className="size-4 rtl:-scale-x-100" aria-hidden />
        </Link>
      }
      actions={read.data && actions?.(read.data)}
    >
      <Loaded query={read} skeleton={<Skeleton />}>
        {(data) => <div className={COLUMN}>{children(data)}</div>}
      </Loaded>
    </Page>
  )
}

const COLUMN = 'mx-auto grid w-full max-w-4xl grid-cols-[minmax(0,1fr)] content-start gap-6 px-4 py-6 lg:px-6'

const Skeleton = () => (
  <div className={COLUMN} aria-hidden>
    <div className="skeleton h-32" />
    <div className="skeleton h-24" />
    <div className="skeleton h-48" />
  </div>
)
