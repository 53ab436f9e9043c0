import { clsx } from 'clsx'
import { MessageCircle } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Thread } from '../../../../src/conversations/threads/api.ts'
import { NETWORKS } from '../../../labels.ts'
import { NetworkMark } from '../../../ui/network.tsx'

type Of = Pick<Thread, 'customer' | 'platform' | 'post'>

/**
 * The display name of a customer. Networks do not reveal every name. A thread without a customer is named after its
 * post.
 */
export function useCustomerName() {
  const t = useTranslations('inbox')
  return ({ customer, platform, post }: Of) => {
    const network = NETWORKS[platform].short
    if (!customer) return post?.excerpt || t('counted.post', { network })
    return customer.erased ? t('erased') : customer.name || customer.username || t('someone', { network })
  }
}

/** A stable colour per customer, to recognise them in a list. */
const hueOf = (id: string) => Array.from(id).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 360, 7)

interface Props {
  thread: Of
  className?: string
}

/** The customer's initial with the network's logo. Hidden from screen readers, because the name is next to it. */
export function CustomerAvatar({ thread, className = 'size-8' }: Props) {
  const { customer } = thread
  const hue = hueOf(customer?.id ?? '')
  const [letter] = useCustomerName()(thread)
  return (
    <span className="relative inline-flex shrink-0" aria-hidden>
      <span
        className={clsx('grid place-items-center rounded-full text-13 font-semibold', className)}
        style={
          customer
            ? {
                background: `light-dark(hsl(${hue} 42% 91%), hsl(${hue} 24% 24%))`,
                color: `light-dark(hsl(${hue} 40% 30%), hsl(${hue} 45% 80%))`,
              }
            : { background: 'var(--color-sunken)', color: 'var(--color-muted)' }
        }
      >
        {customer ? letter?.toLocaleUpperCase() : <MessageCircle className="size-4" />}
      </span>
      <span className="absolute -end-1 -bottom-1 inline-flex rounded-full ring-2 ring-surface">
        <NetworkMark platform={thread.platform} small />
      </span>
    </span>
  )
}
