import { clsx } from 'clsx'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'

type Of = Pick<Thread, 'customer' | 'platform'>

/** The name of a customer. Networks do not tell it for everybody who writes. */
export function useCustomerName() {
  const t = useTranslations('inbox')
  return ({ customer, platform }: Of) =>
    customer.erased
      ? t('erased')
      : customer.name || customer.username || t('someone', { network: NETWORKS[platform].short })
}

/** A colour of their own, so that the same person is known again in a list. */
const hueOf = (id: string) => Array.from(id).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 360, 7)

interface Props {
  thread: Of
  className?: string
}

/** The first letter of a customer with the sign of the network. Beside the name, so silent. */
export function CustomerAvatar({ thread, className = 'size-8' }: Props) {
  const hue = hueOf(thread.customer.id)
  const [letter] = useCustomerName()(thread)
  return (
    <span className="relative inline-flex shrink-0" aria-hidden>
      <span
        className={clsx('grid place-items-center rounded-full text-13 font-semibold', className)}
        style={{
          background: `light-dark(hsl(${hue} 42% 91%), hsl(${hue} 24% 24%))`,
          color: `light-dark(hsl(${hue} 40% 30%), hsl(${hue} 45% 80%))`,
        }}
      >
        {letter?.toLocaleUpperCase()}
      </span>
      <span className="absolute -end-1 -bottom-1 inline-flex rounded-full ring-2 ring-surface">
        <NetworkMark platform={thread.platform} small />
      </span>
    </span>
  )
}
