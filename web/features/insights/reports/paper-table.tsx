import type { ReactNode } from 'react'

export interface PaperColumn<Row> {
  key: string
  name: string
  value: (row: Row) => ReactNode
}

interface Props<Row> {
  /** The name of the first column, which identifies a row. */
  first: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  head: (row: Row) => ReactNode
  columns: readonly PaperColumn<Row>[]
}

/** A table that appears only in print. */
export function PaperTable<Row>({ first, rows, keyOf, head, columns }: Props<Row>) {
  return (
    <div className="hidden print:block">
      <table className="w-full text-xs tabular-nums">
        <thead>
          <tr>
            {[first, ...columns.map(({ name }) => name)].map((name, index) => (
              <th key={name} scope="col" className={`py-1 font-medium ${index === 0 ? 'text-start' : 'text-end'}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t">
              <th scope="row" className="py-1 text-start font-normal">
                {head(row)}
              </th>
              {columns.map(({ key, value }) => (
                <td key={key} className="py-1 ps-3 text-end">
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
