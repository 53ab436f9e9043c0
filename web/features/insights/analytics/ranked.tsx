import { clsx } from 'clsx'
import { ArrowDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { mediaHook } from '../../../ui/media.ts'

/** Whether the window is too narrow for a table. */
const useNarrow = mediaHook('(width < 48rem)')

export interface Column<Row, Key extends string> {
  key: Key
  name: string
  value: (row: Row) => ReactNode
  /** An explanation of the column's figure. */
  about?: ReactNode
  /** Whether rows can be sorted by it. */
  isOrder?: boolean
}

interface Props<Row, Key extends string> {
  label: string
  /** The name of the first column, which identifies a row. */
  first: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  head: (row: Row) => ReactNode
  columns: readonly Column<Row, Key>[]
  order: Key
  onOrder: (key: Key) => void
  /** Whether a row has too few posts to be meaningful. */
  isWeak?: (row: Row) => boolean
}

/** Rows sorted by one figure, highest first: a table, or on a phone cards that start with this figure. */
export function Ranked<Row, Key extends string>(props: Props<Row, Key>) {
  return useNarrow() ? <Cards {...props} /> : <Table {...props} />
}

function Table<Row, Key extends string>({
  label,
  first,
  rows,
  keyOf,
  head,
  columns,
  order,
  onOrder,
  isWeak,
}: Props<Row, Key>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keys
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={label}>
      <table className="w-full text-13 tabular-nums">
        <thead>
          <tr className="text-xs text-muted">
            <th scope="col" className="py-2 pe-4 text-start font-medium">
              {first}
            </th>
            {columns.map(({ key, name, about, isOrder }) => (
              <th
                key={key}
                scope="col"
                aria-sort={key === order ? 'descending' : undefined}
                className="py-1 ps-3 text-end align-bottom font-medium"
              >
                <span className="inline-flex items-center gap-0.5">
                  {isOrder ? (
                    <button
                      type="button"
                      onClick={() => onOrder(key)}
                      className={clsx(
                        'inline-flex min-h-6 items-center gap-1 rounded-md px-1 text-end hover:text-fg',
                        key === order && 'text-fg',
                      )}
                    >
                      {name}
                      {key === order && <ArrowDown className="size-3.5" aria-hidden />}
                    </button>
                  ) : (
                    name
                  )}
                  {about}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={clsx('border-t', isWeak?.(row) && 'text-muted')}>
              <th scope="row" className="min-w-56 py-2 pe-4 text-start font-normal" style={{ maxInlineSize: 0 }}>
                {head(row)}
              </th>
              {columns.map(({ key, value }) => (
                <td
                  key={key}
                  className={clsx('py-2 ps-3 text-end whitespace-nowrap', key === order && 'font-semibold')}
                >
                  {value(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards<Row, Key extends string>({ label, rows, keyOf, head, columns, order, isWeak }: Props<Row, Key>) {
  const lead = columns.find(({ key }) => key === order)
  return (
    <ul aria-label={label} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {rows.map((row) => (
        <li
          key={keyOf(row)}
          className={clsx('card grid grid-cols-[minmax(0,1fr)] gap-2 p-3 tabular-nums', isWeak?.(row) && 'text-muted')}
        >
          {lead && (
            <p className="flex items-baseline gap-2">
              <span className="text-base font-semibold">{lead.value(row)}</span>
              <span className="text-xs text-muted">{lead.name}</span>
            </p>
          )}
          {head(row)}
          <dl className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
            {columns
              .filter(({ key }) => key !== order)
              .map(({ key, name, value }) => (
                <div key={key} className="flex gap-1.5">
                  <dt>{name}</dt>
                  <dd className={clsx('font-medium', !isWeak?.(row) && 'text-fg')}>{value(row)}</dd>
                </div>
              ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
