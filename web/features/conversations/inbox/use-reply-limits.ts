import { useTranslations } from 'use-intl'
import type { OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment, PRIVATE_REPLY_WINDOW, roomFor, sizeIn } from '../../../../src/conversations/threads/rules.ts'
import { NETWORKS } from '../../../labels.ts'
import type { UnsentReply } from './unsent-reply.ts'

/** What the network accepts as this reply, and why it cannot be sent as it is. */
export function useReplyLimits(thread: OpenThread, { text, privately, picture, parentId }: UnsentReply) {
  const t = useTranslations('inbox')
  const network = NETWORKS[thread.platform].short
  const secretly = privately && thread.kind === 'COMMENT'
  const limit = roomFor(thread.platform, thread.kind === 'DM' ? 'dm' : secretly ? 'private_reply' : 'reply')
  const size = limit ? sizeIn(text.trim(), limit) : 0
  const isOver = limit !== undefined && size > limit.most
  const target = parentId ?? thread.messages.findLast(isOpenComment)?.id
  const taken = target === undefined ? null : privateTaken(thread, target)
  const reason = picture
    ? secretly
      ? t('private.picture')
      : null
    : text.trim() === ''
      ? t('writeFirst')
      : isOver
        ? t('tooLong', { network, limit: limit.most })
        : secretly && taken
          ? t(`private.${taken}`)
          : null
  return { secretly, limit, size, isOver, taken, reason }
}

/** Why a comment can no longer be answered privately; null if it can. */
function privateTaken({ messages }: OpenThread, commentId: string): 'used' | 'late' | null {
  const comment = messages.find(({ id }) => id === commentId)
  if (comment && Date.now() - Date.parse(comment.at) > PRIVATE_REPLY_WINDOW) return 'late'
  const answers = messages.filter((one) => one.kind === 'PRIVATE_REPLY' && one.parentId === commentId)
  return answers.some((one) => one.delivery?.state !== 'FAILED') ? 'used' : null
}
