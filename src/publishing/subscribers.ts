import type { AccountEvent } from '../channels/accounts.ts'
import { query } from '../core/platform/db.ts'
import type { DomainEvent } from '../core/platform/record.ts'
import { on, type Subscribers, type Tx } from '../core/platform/scope.ts'
import { beginning } from '../core/texts/beginning.ts'
import { notify } from '../team/notifications/notifications.ts'
import type { WorkspaceChanged } from '../team/workspaces/workspaces.ts'
import type { CommentAdded } from './approvals/approvals-comments.ts'
import { type ApprovalRequested, enqueueReminder } from './posts/posts-approval.ts'
import { visibleTo } from './posts/posts-shape.ts'
import { enqueueFlightCheck } from './flight-check/flight-check.ts'
import { tellTeam } from './sending/notices.ts'

/** The screens of a post. */
const post = ['post', 'postId'] as const

interface OfPost extends DomainEvent {
  type: `${'first_comment' | 'removal'}.${'failed' | 'unconfirmed'}` | 'post.scheduled'
  subject: { postId: string }
}

const DAY = 86_400_000

const tellOfComment = (tx: Tx, { subject: { postId } }: OfPost) =>
  tellTeam(tx, postId, 'post_failed', { status: 'COMMENT_FAILED' })

const tellOfRemoval = (tx: Tx, { subject: { postId } }: OfPost) =>
  tellTeam(tx, postId, 'post_failed', { status: 'REMOVAL_FAILED' })

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
  subscriptions: [
    on('approval.requested', async (tx, { subject, data: { client }, context }: ApprovalRequested) => {
      const { postId, approvalId } = subject
      const { requestedBy, excerpt } = context
      const roles = client ? ['OWNER', 'ADMIN', 'CLIENT'] : ['OWNER', 'ADMIN']
      await notify(tx, { roles, except: requestedBy }, 'approval_requested', { postId, excerpt })
      enqueueReminder(tx, approvalId, new Date(tx.now.getTime() + DAY))
    }),

    /** Notifies the members that a comment mentions, and the author of the post, if they see the post. */
    on('comment.added', async (tx, { subject: { postId }, context }: CommentAdded) => {
      const { by, authorId, text, mentions } = context
      const concerned = await tx.run(query<{ userId: string }>`select m.user_id from member m, post p
        where m.workspace_id = ${tx.workspaceId} and p.workspace_id = m.workspace_id and p.id = ${postId}
          and (m.user_id = p.created_by or m.user_id = any (${mentions}::uuid[]))
          and (m.role <> 'CLIENT' or ${visibleTo('CLIENT')})`)
      for (const { userId } of concerned) {
        if (userId === authorId) continue
        const kind = mentions.includes(userId) ? 'comment_mention' : 'comment_added'
        await notify(tx, { roles: [], members: [userId] }, kind, { postId, by, excerpt: beginning(text, 120) })
      }
    }),

    on('first_comment.failed', tellOfComment),
    on('first_comment.unconfirmed', tellOfComment),
    on('removal.failed', tellOfRemoval),
    on('removal.unconfirmed', tellOfRemoval),

    on('post.scheduled', (tx, { subject: { postId } }: OfPost) => enqueueFlightCheck(tx, { postId })),

    on('account.connected', checkAccount),
    on('account.paused', checkAccount),
    on('account.reconnect_needed', checkAccount),
    on('account.reconnected', checkAccount),
    on('account.resumed', checkAccount),

    on('workspace.changed', (tx, { data: { fields } }: WorkspaceChanged) => {
      // Both can block scheduled posts.
      if (fields.includes('approvalMode') || fields.includes('linkTags')) enqueueFlightCheck(tx, { scheduled: true })
    }),
  ],
}
