import { Fragment } from 'react'
import { useFormatter } from 'use-intl'
import type { Message, Thread } from '../../../../src/conversations/threads/api.ts'
import { isOpenComment } from '../../../../src/conversations/threads/rules.ts'
import { useToday } from '../../../now.ts'
import { dateIn, weekdayFormat } from '../../../time.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { MessageItem } from './message.tsx'

interface Props {
  thread: Thread
  messages: Message[]
  /** Answers one of several comments; absent where writing is not possible. */
  onAnswer: ((message: Message) => void) | undefined
  /** Reuses the text of a failed answer. */
  onAgain: ((message: Message) => void) | undefined
}

/** The comment that a message answers, unless it is directly above. */
function parentOf({ parentId }: Message, messages: Message[], index: number): Message | undefined {
  const above = messages.slice(0, index).findLast(({ kind }) => kind !== 'NOTE')
  return above?.id === parentId ? undefined : messages.find(({ id }) => id === parentId)
}

/** The messages grouped by day, oldest first. */
export function MessageList({ thread, messages, onAnswer, onAgain }: Props) {
  const format = useFormatter()
  const zone = usePlace().workspace.timezone
  const days = messages.map((one) => dateIn(new Date(one.at), zone))
  const today = useToday(zone)
  const newest = messages.findLast(isOpenComment)
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      {messages.map((message, index) => (
        <Fragment key={message.id}>
          {days[index] !== days[index - 1] && days[index] !== today && (
            <li className="pt-1 text-center text-xs text-muted">
              {format.dateTime(new Date(message.at), weekdayFormat(new Date(message.at), zone))}
            </li>
          )}
          <MessageItem
            thread={thread}
            message={message}
            parent={parentOf(message, messages, index)}
            onAnswer={onAnswer && message !== newest ? () => onAnswer(message) : undefined}
            onAgain={onAgain && (() => onAgain(message))}
          />
        </Fragment>
      ))}
    </ol>
  )
}
