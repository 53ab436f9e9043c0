import { useTranslations } from 'use-intl'
import type { Message, OpenThread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment, PRIVATE_REPLY_WINDOW, roomFor, sizeIn } from '../../../../src/conversations/threads/rules.ts'
import type { MediaFile } from '../../../../src/publishing/media/api.ts'
import { NETWORKS } from '../../../labels.ts'

interface Reply {
  text: string
  privately: boolean
  picture: MediaFile | null
  /** The comment that it answers, if it is not the newest. */
  answered: Message | null
}

/** What the network accepts as this reply, and why it cannot be sent as it is. */
export function useReplyLimits(thread: OpenThread, { text, privately, picture, answered }: Reply) {
  const t = useTranslations('inbox')
  const network = NETWORKS[thread.platform].short
  const secretly = privately && thread.kind === 'COMMENT'
  const limit = roomFor(thread.platform, thread.kind === 'DM' ? 'dm' : secretly ? 'private_reply' : 'reply')
  const size = limit ? sizeIn(text.trim(), limit) : 0
  const isOver = limit !== undefined && size > limit.most
  const target = answered ?? thread.messages.findLast(isOpenComment)
  const taken = target ? privateTaken(thread, target.id) : null
  const reason = picture
    ? null
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
