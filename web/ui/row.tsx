import { clsx } from 'clsx'
import { FileText, Pencil, Trash2 } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from './button.tsx'

/** Rows in one frame, separated by lines. */
export const Rows = ({ className, ...rest }: ComponentProps<'ul'>) => (
  <ul
    className={clsx('grid grid-cols-[minmax(0,1fr)] divide-y overflow-hidden rounded-lg border bg-surface', className)}
    {...rest}
  />
)

interface TextsProps {
  title: ReactNode
  detail: ReactNode
}

/** On a phone, a line of text may wrap once. */
const line = 'clip max-sm:line-clamp-2 max-sm:whitespace-normal'

/** The two lines of a row, each truncated to fit. */
export const RowTexts = ({ title, detail }: TextsProps) => (
  <div className="min-w-0 grow basis-0">
    <p className={clsx(line, 'text-13 font-medium')}>{title}</p>
    <p className={clsx(line, 'text-xs text-muted')}>{detail}</p>
  </div>
)

interface ActsProps {
  /** Accessible names of the buttons. */
  edit: string
  remove: string
  onEdit: () => void
  onRemove: () => void
}

/** The buttons that edit and delete a row. */
export const RowActs = ({ edit, remove, onEdit, onRemove }: ActsProps) => (
  <>
    <Button variant="ghost" size="icon" aria-label={edit} onClick={onEdit}>
      <Pencil className="size-4" aria-hidden />
    </Button>
    <Button variant="ghost" size="icon" aria-label={remove} onClick={onRemove}>
      <Trash2 className="size-4" aria-hidden />
    </Button>
  </>
)

/** The picture of a post, or a placeholder icon. Hidden from screen readers, because the text is next to it. */
export function Thumb({ url, className = 'size-(--thumb)' }: { url: string | null | undefined; className?: string }) {
  if (url)
    return <img src={url} alt="" loading="lazy" className={clsx('shrink-0 rounded-md object-cover', className)} />
  return (
    <span className={clsx('grid shrink-0 place-items-center rounded-md bg-sunken text-faint', className)} aria-hidden>
      <FileText className="size-4" />
    </span>
  )
}
