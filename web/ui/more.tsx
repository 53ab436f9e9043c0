import { Button } from './button.tsx'

interface Props {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  label: string
  small?: boolean
  className?: string
}

/** Loads the next page of a list, if there is one. */
export function More({ query, label, small = false, className = 'text-center' }: Props) {
  if (!query.hasNextPage) return null
  return (
    <div className={className}>
      <Button {...(small && { size: 'sm' })} busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}
