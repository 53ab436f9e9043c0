import type { SocialAccount } from '../src/channels/api.ts'
import type { Check } from '../src/publishing/posts/api.ts'
import type { DeliveryError } from '../src/delivery/api.ts'
import type { MediaFile } from '../src/publishing/media/api.ts'
import { useMaybe } from './i18n.tsx'
import { NETWORKS } from './labels.ts'

// The service sends findings and refusals in English. Other languages translate their codes.

/** The text of a finding, and its remedy. */
export function useCheckWords() {
  const maybe = useMaybe()
  return ({ code, message, fix, limit, value, platform }: Check, account?: Pick<SocialAccount, 'name'>) => {
    const network = platform ? NETWORKS[platform].short : ''
    const values = { limit: limit ?? '', value: value ?? '', account: account?.name ?? '', network }
    return { message: maybe(`checks.${code}.message`, message, values), fix: maybe(`checks.${code}.fix`, fix, values) }
  }
}

/** Failures that Parley detects itself: there is no message from a network. */
const OURS = new Set([
  'stopped',
  'missed',
  'not_live',
  'no_target',
  'reconnect_needed',
  'account_paused',
  'account_disconnected',
  'approval_outstanding',
  'audience_refused',
  'video_over_limit',
])

/** Why a publication failed, and how to fix it. `original` is the network's own message when ours replaces it. */
export function useFailureWords() {
  const maybe = useMaybe()
  return ({ code, message, fix, limit }: DeliveryError) => {
    const said = maybe(`failures.${code}.message`, message, { limit: limit ?? '' })
    const original = said === message || OURS.has(code) ? null : message
    return { message: said, fix: maybe(`failures.${code}.fix`, fix), original }
  }
}

/** Why a file cannot be used. */
export function useRejectionWords() {
  const maybe = useMaybe()
  return ({ rejectedCode, rejectedReason }: Pick<MediaFile, 'rejectedCode' | 'rejectedReason'>) =>
    maybe(`rejections.${rejectedCode}`, rejectedReason ?? '')
}
