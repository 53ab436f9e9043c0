import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { SocialAccount } from '../src/channels/api.ts'
import type { Fault } from '../src/core/errors.ts'
import type { Check } from '../src/publishing/posts/api.ts'
import { checkWords } from './check-words.ts'
import { isProblem } from './client.ts'
import { useMaybe } from './i18n.tsx'

/** An error as one sentence for people. Internal errors include the request id. */
export function useProblemText() {
  const t = useTranslations()
  const maybe = useMaybe()
  const faultText = useFaultText()
  return (error: unknown): string => {
    if (!isProblem(error)) return error instanceof Error ? error.message : String(error)
    const { retryAfter: seconds } = error
    if (error.code === 'rate_limited' && seconds) {
      return seconds <= 120
        ? t('problems.rate_limited_for', { seconds })
        : t('problems.rate_limited_minutes', { minutes: Math.ceil(seconds / 60) })
    }
    if (error.code === 'invalid_state' && error.problem['current'] === 'unconfirmed') return t('problems.unconfirmed')
    if (error.code === 'validation_failed' && error.errors.length > 0) return error.errors.map(faultText).join(' ')
    if (error.code === 'quota_exceeded' && error.problem['quota'] === 'media_bytes') return t('problems.storage_full')
    const text = maybe(`problems.${error.code}`, error.message)
    return error.code === 'internal' ? `${text} ${error.requestId}` : text
  }
}

/** The service's errors for individual form fields. */
export function useFaults(error: unknown) {
  const faultText = useFaultText()
  return (path: string): string | undefined => {
    const fault = isProblem(error) ? error.errors.find((one) => one.path === path) : undefined
    return fault && faultText(fault)
  }
}

/**
 * A fault by its code, or else by the service's English sentence. A finding of a post and a refused file have the texts
 * that they have elsewhere, since `empty` and other codes mean another thing there.
 */
function useFaultText() {
  const maybe = useMaybe()
  const client = useQueryClient()
  return (fault: Fault): string => {
    const { code, message } = fault
    if ('severity' in fault) {
      const check = fault as unknown as Check
      const lists = client.getQueriesData<SocialAccount[]>({ predicate: ({ queryKey }) => queryKey[1] === 'accounts' })
      const account = lists.flatMap(([, accounts]) => accounts ?? []).find(({ id }) => id === check.target)
      return checkWords(check, maybe, account).message
    }
    const values = { limit: fault['limit'] as number }
    const known = maybe(`faults.${code}`, maybe(`refusals.${code}`, message, values), values)
    return 'fileName' in fault ? maybe(`rejections.${code}`, known) : known
  }
}
