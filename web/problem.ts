import { useTranslations } from 'use-intl'
import { isProblem } from './client.ts'

/** An error as one sentence for a person, with the request id where it says what that is for. */
export function useProblemText() {
  const t = useTranslations()
  return (error: unknown): string => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error)
    const { retryAfter: seconds } = error
    if (error.code === 'rate_limited' && seconds) {
      if (seconds <= 120) return t('problems.rate_limited_for', { seconds })
      return t('problems.rate_limited_minutes', { minutes: Math.ceil(seconds / 60) })
    }
    if (error.code === 'invalid_state' && error.problem['current'] === 'unconfirmed') return t('problems.unconfirmed')
    if (error.code === 'validation_failed' && error.errors.length > 0)
      return error.errors
        .map(({ code, message }) =>
          t.has(`faults.${code as 'required'}`) ? t(`faults.${code as 'required'}`) : message,
        )
        .join(' ')
    const key = `problems.${error.code}` as 'problems.offline'
    const text = t.has(key) ? t(key) : error.message
    return error.code === 'internal' ? `${text} ${error.requestId}` : text
  }
}

/** What the service says about one field of a form. */
export function useFaults(error: unknown) {
  const t = useTranslations('faults')
  return (path: string): string | undefined => {
    if (!isProblem(error)) return undefined
    const fault = error.errors.find((one) => one.path === path)
    if (!fault) return undefined
    const key = fault.code as 'required'
    return t.has(key) ? t(key) : fault.message
  }
}
