import { MailCheck, ShieldCheck } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'

const ICONS = { mail: MailCheck, done: ShieldCheck }

/** Replaces a submitted form. Takes the focus, so that screen readers announce it. */
export function Notice({ icon, children }: { icon: keyof typeof ICONS; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  const Icon = ICONS[icon]
  return (
    <div
      ref={box}
      role="status"
      tabIndex={-1}
      className="flex items-start gap-3 rounded-lg border bg-bg px-4 py-3.5 outline-none"
    >
      <Icon className="mt-0.5 size-5 shrink-0 text-accent-text" aria-hidden />
      <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)] gap-2 break-words">{children}</div>
    </div>
  )
}
