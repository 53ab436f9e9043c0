import { findPage, findPhotoAccount } from '../people.ts'
import type { StoredComment } from '../state.ts'
import { answerList, type GraphRequest, idOf, newId, type View } from './call.ts'
import { askedFailure, refuse } from './errors.ts'
import type { NodeType } from './fields.ts'
import { fetchedPicture } from './media.ts'
import { graphTime } from './nodes.ts'
import { limit, text } from './params.ts'
import { mayRead, publisher } from './posts.ts'
import type { Store } from '../store.ts'
import { hasScope, needToRead } from './tokens.ts'
import { tellComment } from './webhooks.ts'

const LIMITS = { page: 8_000, photo: 2_200 }

/** NET_PAGE uses message and created_time, NET_PHOTO text and timestamp. */
const CommentNode: NodeType<StoredComment, View> = {
  name: 'Comment',
  usual: ['created_time', 'message'],
  fields: {
    id: (comment) => comment.id,
    message: (comment) => comment.text,
    created_time: (comment) => graphTime(comment.at),
    from: (comment) => ({ id: comment.by, name: findPage(comment.by)?.name ?? comment.name }),
    parent: ({ parentId }) => parentId && { id: parentId },
    attachment: ({ picture }) => picture && { type: 'photo', media: { image: { src: picture } } },
  },
}
const ReplyNode: NodeType<StoredComment, View> = {
  name: 'IGComment',
  usual: ['timestamp', 'text'],
  fields: {
    id: (comment) => comment.id,
    text: (comment) => comment.text,
    timestamp: (comment) => graphTime(comment.at),
    from: (comment) => ({ id: comment.by, username: findPhotoAccount(comment.by)?.username ?? comment.name }),
  },
}
const PhotoCommentNode: NodeType<StoredComment, View> = {
  name: 'IGComment',
  usual: ['timestamp', 'text'],
  fields: {
    id: (comment) => comment.id,
    text: (comment) => comment.text,
    timestamp: (comment) => graphTime(comment.at),
    from: (comment) => ({ id: comment.by, username: findPhotoAccount(comment.by)?.username ?? comment.name }),
    username: (comment) => findPhotoAccount(comment.by)?.username,
    replies: ({ id, postId }, { call }) => {
      const replies = (call.store.state.comments.get(postId) ?? []).filter((each) => each.parentId === id)
      if (replies.length === 0) return undefined
      const inner = { ...call, params: new Map<string, unknown>([['fields', 'id,text,from,timestamp']]) }
      const items = replies.map((node, i) => ({ key: i + 1, node })).toReversed()
      return answerList(inner, ReplyNode, items, 50)
    },
  },
}

/** Finds a comment by its id. */
export const findComment = ({ state }: Store, id: string): StoredComment | undefined =>
  state.comments.get(id.slice(0, id.lastIndexOf('_')))?.find((comment) => comment.id === id)

/** Returns the live post that a call is about, and its commenter: the page, or the photo account linked to it. */
function subject(call: GraphRequest) {
  const { state, clock } = call.store
  const parent = findComment(call.store, idOf(call))
  const id = parent?.postId ?? idOf(call)
  const root = parent && (parent.parentId ?? parent.id)
  const photo = state.photoPosts.get(id)
  const post = state.posts.get(id)
  const caller = call.caller()
  if (photo) {
    const pageId = findPhotoAccount(photo.accountId)?.pageId
    if (!mayRead(call, caller, pageId)) throw refuse.unknownObject(call.method, id)
    return { id, by: photo.accountId, photo, root }
  }
  if (!post?.published || post.at > clock.now() || !mayRead(call, caller, post.pageId)) {
    throw refuse.unknownObject(call.method, id)
  }
  return { id, by: post.pageId, root }
}

/** `POST {post}/comments`: a comment by the account itself. */
export async function createComment(call: GraphRequest): Promise<object> {
  const { store, params } = call
  const { id, by, photo, root } = subject(call)
  if (photo) {
    if (!hasScope(store.state, call.caller(), 'instagram_manage_comments')) {
      throw refuse.permission(['instagram_manage_comments'])
    }
    if (photo.story) throw refuse.parameter('Stories cannot have comments')
  } else if (!hasScope(store.state, publisher(call, by), 'pages_manage_engagement')) {
    throw refuse.permission(['pages_manage_engagement'])
  }
  const message = text(params, 'message') ?? ''
  const address = text(params, 'attachment_url')
  if (photo && address !== undefined) throw refuse.parameter('Comments cannot have attachments here')
  const picture = address === undefined ? undefined : await fetchedPicture(address)
  if (message.trim() === '' && !picture) throw refuse.noContent()
  if (Array.from(message).length > (photo ? LIMITS.photo : LIMITS.page))
    throw refuse.parameter('The comment is too long')
  const fail = askedFailure(message)
  if (fail) throw fail.refusal
  const comment: StoredComment = {
    id: `${id}_${newId(call)}`,
    postId: id,
    by,
    text: message,
    at: store.clock.now(),
    ...(root !== undefined && { parentId: root }),
    ...(picture !== undefined && { picture }),
  }
  store.record({ type: 'comment.made', comment })
  tellComment(store, comment, 'add')
  return { id: comment.id }
}

/** `GET {post}/comments`: the comments, newest first. */
export function listComments(call: GraphRequest): object {
  const { state } = call.store
  const { id, photo, root } = subject(call)
  needToRead(state, call.caller(), photo ? 'instagram_manage_comments' : 'pages_read_engagement')
  const shown = (state.comments.get(id) ?? []).filter((each) =>
    root === undefined ? !photo || each.parentId === undefined : each.parentId === root,
  )
  const comments = shown.map((node, i) => ({ key: i + 1, node })).toReversed()
  return answerList(
    call,
    photo ? PhotoCommentNode : CommentNode,
    comments,
    Math.min(limit(call.params), photo ? 50 : 100),
  )
}
