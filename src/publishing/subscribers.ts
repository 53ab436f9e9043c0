import type { Subscribers } from '../core/platform/scope.ts'

/** The screens of a post. */
const post = ['post', 'postId'] as const

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
}
