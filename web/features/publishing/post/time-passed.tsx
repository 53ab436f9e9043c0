import { CalendarClock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Check } from '../../../../src/publishing/posts/api.ts'
import { useCheckWords } from '../../../service-words.ts'

/** Says that a post was approved after its time. `children` offer a new one. */
export default function TimePassed({ check, children }: { check: Check; children?: ReactNode }) {
  const { message, fix } = useCheckWords()(check)
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-warn-soft px-3 py-2.5 text-13"
    >
      <p className="flex min-w-0 grow items-start gap-2">
        <CalendarClock className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
        <span>
          <span className="font-medium">{message}</span> {fix}
        </span>
      </p>
      {children}
    </div>
  )
}
