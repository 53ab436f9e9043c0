import { renewSubscriptions } from '../channels/accounts-webhooks.ts'
import type { JobHandlers } from '../core/platform/jobs.ts'
import type { Scope, Scopes } from '../core/platform/scope.ts'
import type { Services } from '../services.ts'
import { applyEvents } from './apply.ts'
import { keepAttachment } from './attachments/attachments.ts'
import { eraseCustomer } from './erasure.ts'
import { eraseSilent, findSilent } from './audience/silent.ts'
import { nameCustomer } from './audience/profile.ts'
import { expireDraft } from './bot/drafts.ts'
import { processDecision, sweepDecisions } from './bot/process.ts'
import { createThreadDrivers } from './drivers.ts'
import { countComments, readAccount, readSilent } from './reading/reading.ts'
import { wakeThread } from './threads/threads.ts'
import { endHumanWindows } from './threads/windows.ts'
import { watchInbox, watchInboxes } from './watch.ts'

type Handled =
  | 'webhook-process'
  | 'attachment'
  | 'thread-wake'
  | 'inbox-watch'
  | 'inbox-reading'
  | 'customer-erasure'
  | 'customer-profile'
  | 'ice-process'

export function conversationJobs(
  services: Services,
  scopes: Pick<Scopes, 'ask' | 'scope'>,
): Pick<JobHandlers, Handled> {
  const { crypto, settings } = services
  const parts = { crypto, settings, drivers: createThreadDrivers(crypto, settings) }
  const watch = async (scope: Scope) => {
    if (!settings.humanAgent) await endHumanWindows(scope, scopes)
    await watchInboxes(scope, scopes)
    await renewSubscriptions(scope, scopes, services)
    await readSilent(scope, scopes, services)
    await countComments(scope, scopes, services)
  }
  return {
    'webhook-process': (scope, { accountId }) => applyEvents(scope, parts, accountId),
    async 'customer-erasure'(scope, data) {
      if ('customerId' in data)
        await eraseCustomer(scope, services, { id: data.customerId, unlessHeard: data.silent === true })
      else if ('own' in data) await eraseSilent(scope, data.after)
      else await findSilent(scope, scopes)
    },
    'customer-profile': (scope, { identityId }) => nameCustomer(scope, services, identityId),
    'inbox-reading': (scope, data) => readAccount(scope, services, data),
    async 'ice-process'(scope, data, stopping) {
      if ('decisionId' in data) await processDecision(scope, services, data.decisionId, stopping)
      else if ('draftId' in data) await expireDraft(scope, data.draftId)
      else await sweepDecisions(scope, scopes)
    },
    attachment: (scope, { attachmentId }) => keepAttachment(scope, services, attachmentId),
    'thread-wake': (scope, { threadId }) => wakeThread(scope, threadId),
    'inbox-watch': (scope, { own }) => (own ? watchInbox(scope) : watch(scope)),
  }
}
