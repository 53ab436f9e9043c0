import type { Scope, Scopes } from '../core/platform/scope.ts'
import { forgetErased } from './audience/erase.ts'
import { balanceClaims, forgetKnowledge } from './bot/config/config.ts'
import { DECISION_KEPT, forgetDecisions } from './bot/decisions.ts'
import { countConversion } from './experiments/experiments.ts'
import { writeClosingNote } from './threads/notes.ts'
import { tellWaiting } from './threads/notices.ts'
import { forgetPresence } from './threads/presence.ts'
import { closeAnsweredByBot, findAnswered, findLate, markLateWaits } from './threads/waits.ts'
import { findOverlooked, forgetEvents, releaseOverlooked } from './webhooks/events.ts'
import { RAW_KEPT } from './webhooks/rules.ts'

/**
 * Enqueues a job for each workspace with something to watch, and removes expired presence and data past its retention
 * time.
 */
export async function watchInboxes(scope: Scope, scopes: Pick<Scopes, 'ask' | 'scope'>): Promise<void> {
  const now = scope.now()
  await forgetPresence(scopes, now)
  await balanceClaims(scope, scopes)
  // Raw events contain ids and texts of people. Records of erased people are only there for late events.
  const rawBefore = new Date(now.getTime() - RAW_KEPT)
  await forgetErased(scopes, rawBefore)
  await forgetEvents(scopes, rawBefore)
  const decisionsBefore = new Date(now.getTime() - DECISION_KEPT)
  await forgetDecisions(scopes, decisionsBefore)
  await forgetKnowledge(scopes, decisionsBefore)
  const late = await findLate(scopes, now)
  const answered = await findAnswered(scopes, now)
  const overlooked = await findOverlooked(scopes)
  for (const id of new Set([...late, ...answered, ...overlooked].map((each) => each.id))) {
    await scopes
      .scope(id, scope.actor)
      .transaction(async (tx) => tx.enqueue('inbox-watch', { own: true }, { key: `inbox-watch:${id}` }))
  }
}

/** Closes threads that the bot answered last, if the customer has not come back for a day. */
async function closeAnswered(scope: Scope): Promise<void> {
  await scope.transaction(async (tx) => {
    const closed = await closeAnsweredByBot(tx)
    for (const { id, accountId } of closed) {
      await writeClosingNote(tx, id, accountId)
      await countConversion(tx, id)
      tx.record({ type: 'thread.closed', subject: { threadId: id }, data: { by: 'bot' } })
    }
  })
}

/**
 * Watches one workspace: tells people of waits that are too long, applies changes whose message is there, and closes
 * threads that the bot has answered. Closing is last, because a thread that cannot be closed must not keep the others.
 */
export async function watchInbox(scope: Scope): Promise<void> {
  await tellWaits(scope)
  await scope.transaction(releaseOverlooked)
  await closeAnswered(scope)
}

/**
 * Notifies people once of each wait that is too long: the assignee if they may answer, or else everyone who may.
 */
async function tellWaits(scope: Scope): Promise<void> {
  await scope.transaction(async (tx) => {
    const late = await markLateWaits(tx)
    for (const who of new Set(late.map(({ concerned }) => concerned[0]))) {
      const theirs = late.filter(({ concerned }) => concerned[0] === who)
      await tellWaiting(
        tx,
        theirs.map(({ id }) => id),
        who === undefined ? [] : [who],
      )
    }
  })
}
