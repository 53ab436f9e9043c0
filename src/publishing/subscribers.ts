import { enqueueFlightCheck } from './sending/flight-check.ts'
import type { Subscribers, Tx } from '../core/platform/scope.ts'
import type { AccountEvent } from '../channels/accounts.ts'
import type { WorkspaceChanged } from '../team/workspaces/workspaces.ts'

/** The screens of a post. */
const post = ['post', 'postId'] as const

const checkAccount = (tx: Tx, { subject: { accountId } }: AccountEvent) => enqueueFlightCheck(tx, { accountId })

export const publishingSubscribers: Subscribers = {
  hints: {
    approval: post,
    comment: post,
    first_comment: post,
    hashtag_set: 'workspace',
    media: ['media', 'mediaFileId'],
    post,
    publication: post,
    removal: post,
    review_link: post,
    template: 'workspace',
    view: 'workspace',
  },
  on: {
    'account.connected': checkAccount,
    'account.paused': checkAccount,
    'account.reconnect_needed': checkAccount,
    'account.reconnected': checkAccount,
    'account.resumed': checkAccount,

    'workspace.changed'(tx, { data: { fields } }: WorkspaceChanged) {
      // Both can block scheduled posts.
      if (fields.includes('approvalMode') || fields.includes('linkTags')) enqueueFlightCheck(tx, { scheduled: true })
    },
  },
}
