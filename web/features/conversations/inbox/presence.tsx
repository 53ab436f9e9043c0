import { Eye, PenLine } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isolate } from '../../../bidi.ts'
import { useNow } from '../../../now.ts'

/** Which colleagues have the thread open, and which of them are typing. */
export function Presence({ presence }: Pick<OpenThread, 'presence'>) {
  const t = useTranslations('inbox')
  const format = useFormatter()
  const now = useNow(3000).getTime()
  const here = presence.filter(({ until }) => Date.parse(until) > now)
  const writing = here.filter(({ typing }) => typing)
  const shown = writing.length > 0 ? writing : here
  const Icon = writing.length > 0 ? PenLine : Eye
  return (
    <p role="status" className="flex items-center gap-1.5 pb-1 text-xs text-muted empty:hidden">
      {shown.length > 0 && (
        <>
          <Icon className="size-3.5 shrink-0" aria-hidden />
          {t(writing.length > 0 ? 'writes' : 'here', {
            names: format.list(shown.map(({ name }) => isolate(name))),
            count: shown.length,
          })}
        </>
      )}
    </p>
  )
}
