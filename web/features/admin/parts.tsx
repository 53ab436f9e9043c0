import { Lock, Search } from 'lucide-react'
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { isProblem } from '../../client.ts'
import { useProblemText } from '../../problem.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/states.tsx'
import { DAY, DAY_TIME } from '../../time.ts'

/** Shown to a signed-in person who is not a super admin. */
export function Refused() {
  const t = useTranslations('admin')
  return (
    <Empty whole icon={Lock} title={t('refused')} role="alert">
      {t('refusedBody')}
    </Empty>
  )
}

/** Shows a query's data. If the person has lost the super admin flag, shows the refusal. */
export function Seen<T>(props: Omit<ComponentProps<typeof Loaded<T>>, 'skeleton'>) {
  if (isProblem(props.query.error, 'super_admin_required')) return <Refused />
  return <Loaded {...props} skeleton={<Skeleton />} />
}

const Skeleton = () => (
  <div className="card grid gap-3 p-5" aria-hidden>
    <div className="skeleton h-9" />
    <div className="skeleton h-9" />
    <div className="skeleton h-9" />
  </div>
)

export const Body = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto grid w-full max-w-5xl grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-6 lg:px-6">
    {children}
  </div>
)

/** Searches on submit, not on each letter, because the service records every search. */
export function SearchForm({ label, onSearch, children }: SearchProps) {
  const t = useTranslations('admin')
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim() || undefined)
  }
  return (
    <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 grow basis-52">
        <TextField
          label={label}
          type="search"
          dir="auto"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {children}
      <Button type="submit">
        <Search className="size-4" aria-hidden />
        {t('search')}
      </Button>
    </form>
  )
}

interface SearchProps {
  label: string
  onSearch: (text: string | undefined) => void
  children?: ReactNode
}

/** A table that becomes a list of cards on a narrow screen. */
export function Table({ label, head, children }: { label: string; head: string[]; children: ReactNode }) {
  return (
    <div className="card min-w-0">
      <table aria-label={label} className="w-full text-13 max-md:block">
        <thead className="border-b text-xs text-muted max-md:hidden">
          <tr>
            {head.map((title) => (
              <th key={title} scope="col" className="px-3 py-2 text-start font-medium first:ps-5 last:pe-5">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y max-md:block">{children}</tbody>
      </table>
    </div>
  )
}

export const Row = ({ children }: { children: ReactNode }) => (
  <tr className="max-md:grid max-md:grid-cols-[minmax(0,1fr)] max-md:gap-1 max-md:px-4 max-md:py-3">{children}</tr>
)

export const Head = ({ children }: { children: ReactNode }) => (
  <th scope="row" className="px-3 py-2.5 ps-5 text-start font-normal break-words max-md:p-0">
    {children}
  </th>
)

/** On a narrow screen it shows its label, because the table head is hidden there. */
export const Cell = ({ label, children }: { label?: string; children: ReactNode }) => (
  <td className="px-3 py-2.5 break-words last:pe-5 max-md:p-0">
    {label && <span className="text-xs text-muted md:hidden">{label}: </span>}
    {children}
  </td>
)

/** Formats a day, or with `time` a moment, in the reader's zone. No value becomes a dash. */
export function useWhen() {
  const format = useFormatter()
  return (at: string | null, time = false) => (at === null ? '–' : format.dateTime(new Date(at), time ? DAY_TIME : DAY))
}

/** The text of a failed action. Here `invalid_state` never concerns a post, so it gets its own text. */
export function useAdminProblem() {
  const t = useTranslations('admin')
  const text = useProblemText()
  return (error: unknown) => (isProblem(error, 'invalid_state') ? t('movedOn') : text(error))
}
