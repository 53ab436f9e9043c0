import { useState } from 'react'
import type { Check, Post } from '../../../../src/publishing/posts/api.ts'
import { isLasting, stopsPublishing } from '../../../../src/publishing/posts/rules.ts'

/** The ways in which a post leaves the composer. */
const WAYS = ['schedule', 'queue', 'publish', 'submit'] as const
export type Way = (typeof WAYS)[number]

interface Standing {
  /** This person cannot send the post before somebody has approved it. */
  unapproved: boolean
  submits: boolean
  /** A request waits for an answer. */
  waits: boolean
  waitsForClient: boolean
}

/** The acts that a post allows. A post that waits for the client is not scheduled past them. */
export function waysOf({ unapproved, submits, waits, waitsForClient }: Standing): Way[] {
  if (unapproved) return ['submit']
  return WAYS.filter((way) => {
    if (way === 'publish') return !waits
    if (way === 'submit') return submits && !waits
    return !waitsForClient
  })
}

/** Whether the request of a post waits for an answer, and for that of a client; a change ends it. */
export function requestOf(post: Post | null, dirty: boolean) {
  const waits = post?.approval?.state === 'PENDING' && !dirty
  return { waits, waitsForClient: waits && post?.approval?.asks.client === true }
}

/** The findings that stand against an act. One that passes by itself does not stand against an act at a later time. */
export const obstaclesTo = (act: Way | 'retry', found: readonly Check[] = []) =>
  found.filter((one) =>
    act === 'publish' || act === 'retry' ? stopsPublishing(one) : isLasting(one) || one.code === 'no_target',
  )

const keyOf = (ws: string) => `parley.way.${ws}`

function kept(ws: string): string | null {
  try {
    return localStorage.getItem(keyOf(ws))
  } catch {
    return null // without storage it is the first one each time
  }
}

/** The way that a person took last in this workspace: it is the first one offered the next time. */
export function useLastWay(ws: string, ways: readonly Way[]): [last: Way | undefined, take: (way: Way) => void] {
  const [last, setLast] = useState(() => kept(ws))
  const take = (way: Way) => {
    setLast(way)
    try {
      localStorage.setItem(keyOf(ws), way)
    } catch {
      // It is then forgotten with the page.
    }
  }
  return [ways.find((way) => way === last) ?? ways[0], take]
}
