import { useState } from 'react'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { isLasting, stopsPublishing } from '../../../../src/publishing/posts/rules.ts'
import { readStored, writeStored } from '../../../storage.ts'
import { waitsForClient } from '../approvals/waits.ts'

/** The ways to send a post from the composer. */
const WAYS = ['schedule', 'queue', 'publish', 'submit'] as const
export type SendWay = (typeof WAYS)[number]

interface Standing {
  /** Whether this person needs an approval before publishing. */
  unapproved: boolean
  /** Whether the approved time binds this person. */
  isBound: boolean
  submits: boolean
  /** Whether a request is pending. */
  waits: boolean
  waitsForClient: boolean
}

/** The ways that a post allows. A post that waits for the client cannot be scheduled. */
export function waysOf({ unapproved, isBound, submits, waits, waitsForClient }: Standing): SendWay[] {
  if (unapproved) return ['submit']
  return WAYS.filter((way) => {
    if (way === 'publish') return !waits && !isBound
    if (way === 'submit') return submits && !waits
    return !waitsForClient
  })
}

/** Whether a post's request is pending, and whether it waits for the client. A change ends the request. */
export function requestOf(post: Post | null, dirty: boolean) {
  const waits = post?.approval?.state === 'PENDING' && !dirty
  return { waits, waitsForClient: waits && waitsForClient(post) }
}

/** The findings that block an action. A temporary one does not block an action at a later time. */
export const obstaclesTo = (act: SendWay | 'retry', found: readonly Check[] = []) =>
  found.filter((one) =>
    act === 'publish' || act === 'retry' ? stopsPublishing(one) : isLasting(one) || one.code === 'no_target',
  )

const keyOf = (ws: string) => `parley.way.${ws}`

/** Whether a way may be offered first. Publishing now cannot be undone, so nobody gets there by habit. */
const isOffered = (way: SendWay) => way !== 'publish'

/** The way that the person last used in this workspace, except publishing now. It is offered first next time. */
export function useLastWay(
  ws: string,
  ways: readonly SendWay[],
): [last: SendWay | undefined, take: (way: SendWay) => void] {
  const [last, setLast] = useState(() => readStored(keyOf(ws)))
  const take = (way: SendWay) => {
    if (!isOffered(way)) return
    setLast(way)
    writeStored(keyOf(ws), way)
  }
  return [ways.find((way) => way === last && isOffered(way)) ?? ways[0], take]
}
