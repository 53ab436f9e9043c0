import { useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../../../client.ts'
import { refusal, useAnyPlace } from '../../../shell/workspace.tsx'

/** Milliseconds without typing after which an address counts as complete. */
const PAUSE = 600
/** As long as the server caches a card, in milliseconds. */
const KEPT = 10 * 60_000

/** Narrower pictures, in pixels, go next to the text. */
const LARGE = 400

/** A link as the network shows it. Until its page has been read, or if reading fails, the card shows only the host. */
export function LinkCard({ address }: { address: string }) {
  const place = useAnyPlace()
  const url = useDebounced(address)
  const { data } = useQuery({
    queryKey: [place?.ws, 'link-card', url],
    queryFn: ({ signal }) => call('getLinkCard', { workspace: place?.ws ?? '', query: { url }, signal }),
    enabled: place !== null && refusal(place.membership, 'getLinkCard') === null,
    staleTime: KEPT,
  })
  const card = data?.url === address ? data : undefined
  const { host } = new URL(address)
  const picture = card?.picture
  const large = picture && picture.width >= LARGE && picture.width > picture.height
  return (
    <div data-link-card className="border-y border-black/10 bg-[#f0f2f5] dark:border-white/10 dark:bg-[#3a3b3c]">
      {large && <img src={picture.url} alt="" className="aspect-[1.91] w-full object-cover" />}
      <div className="flex min-h-16 items-stretch">
        {!large && (
          <span className="grid w-22 shrink-0 place-items-center overflow-hidden bg-black/5 dark:bg-white/5">
            {picture ? (
              <img src={picture.url} alt="" className="size-22 object-cover" />
            ) : (
              <Link2 className="size-6 text-[#5f6368] dark:text-[#b0b3b8]" aria-hidden />
            )}
          </span>
        )}
        <div className="grid min-w-0 content-center gap-0.5 px-3 py-2.5">
          <span className="truncate text-xs text-[#5f6368] uppercase dark:text-[#b0b3b8]">
            {host.replace(/^www\./, '')}
          </span>
          <span dir="auto" className="line-clamp-2 text-[0.9375rem] leading-snug font-semibold">
            {card?.title ?? host}
          </span>
          {card?.description && (
            <span dir="auto" className="line-clamp-1 text-13 text-[#5f6368] dark:text-[#b0b3b8]">
              {card.description}
            </span>
          )}
        </div>
      </div>
    </div>
  )
}

/** Returns the first value immediately and later ones once they stop changing. */
function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), PAUSE)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
