import { on, type Subscribers } from '../core/platform/scope.ts'
import { notify } from '../team/notifications/notifications.ts'
import type { ReconnectNeeded } from './accounts.ts'

export const channelSubscribers: Subscribers = {
  hints: { account: ['account', 'accountId'] },
  subscriptions: [
    on('account.reconnect_needed', (tx, { subject: { accountId }, context }: ReconnectNeeded) =>
      notify(tx, { roles: ['OWNER', 'ADMIN'] }, 'account_reconnect', { accountId, ...context }),
    ),
  ],
}
