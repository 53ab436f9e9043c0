import type { SocialAccount } from '../src/channels/api.ts'
import type { Check } from '../src/publishing/posts/api.ts'
import type { Maybe } from './failure-words.ts'
import { NETWORKS } from './labels.ts'

/** The text of a finding, and its remedy. */
export function checkWords(
  { code, message, fix, limit, value, platform }: Check,
  maybe: Maybe,
  account?: Pick<SocialAccount, 'name'>,
) {
  const network = platform ? NETWORKS[platform].short : ''
  const name = account?.name ?? maybe('refusals.account', '')
  const values = { limit: limit ?? '', value: value ?? '', account: name, network }
  return { message: maybe(`checks.${code}.message`, message, values), fix: maybe(`checks.${code}.fix`, fix, values) }
}
