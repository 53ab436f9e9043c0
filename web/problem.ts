import { useTranslations } from 'use-intl'
import { isProblem } from './client.ts'

/** An error as one sentence for people. Internal errors include the request id. */
export function useProblemText() {
  const t = useTranslations()
  const say = (key: string, other: string) => (t.has(key as 'problems.offline') ? t(key as 'problems.offline') : other)
  return (error: unknown): string => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error)
    const { retryAfter: seconds } = error
    if (error.code === 'rate_limited' && seconds) {
      return seconds <= 120
        ? t('problems.rate_limited_for', { seconds })
        : t('problems.rate_limited_minutes', { minutes: Math.ceil(seconds / 60) })
    }
    if (error.code === 'invalid_state' && error.problem['current'] === 'unconfirmed') return t('problems.unconfirmed')
    if (error.code === 'validation_failed' && error.errors.length > 0)
      return error.errors.map(({ code, message }) => say(`faults.${code}`, message)).join(' ')
    const text = say(`problems.${error.code}`, error.message)
    return error.code === 'internal' ? `${text} ${error.requestId}` : text
  }
}

/** The service's errors for individual form fields. */
export function useFaults(error: unknown) {
  const t = useTranslations('faults')
  return (path: string): string | undefined => {
    const fault = isProblem(error) ? error.errors.find((one) => one.path === path) : undefined
    return fault && (t.has(fault.code as 'required') ? t(fault.code as 'required') : fault.message)
  }
}
