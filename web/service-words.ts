import type { SocialAccount } from '../src/channels/api.ts'
import type { Check } from '../src/publishing/posts/api.ts'
import type { DeliveryError } from '../src/delivery/api.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import { checkWords } from './check-words.ts'
import { failureWords } from './failure-words.ts'
import { useMaybe } from './i18n.tsx'

// The service sends findings and refusals in English. Other languages translate their codes.

/** The text of a finding, and its remedy. */
export function useCheckWords() {
  const maybe = useMaybe()
  return (check: Check, account?: Pick<SocialAccount, 'name'>) => checkWords(check, maybe, account)
}

/** Why a delivery failed, and how to fix it. */
export function useFailureWords() {
  const maybe = useMaybe()
  return (error: DeliveryError) => failureWords(error, maybe)
}

/** Why a file cannot be used. */
export function useRejectionWords() {
  const maybe = useMaybe()
  return ({ rejectedCode, rejectedReason }: Pick<MediaFile, 'rejectedCode' | 'rejectedReason'>) =>
    maybe(`rejections.${rejectedCode}`, rejectedReason ?? '')
}
