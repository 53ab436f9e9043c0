import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Store } from '../store.ts'
import { answerTo, type Behaviour } from './behaviour.ts'
import type { Seen } from './look.ts'
import { readBrief } from './brief.ts'
import { converse } from './converse.ts'

/** A call and its answer. Kept in memory only. */
export type ModelCall = {
  at: string
  path: string
  model: string
  system: string
  /** The prompt as received, also for pictures. */
  prompt: string
  /** The picture of the prompt, as the stand-in perceives it. */
  picture?: Seen | null
  status: number
  answer: string
}

const KEPT_CALLS = 200
const PIECE = 24

/** A call, independent of the format of its provider. */
type DeskAsk = { system: string; prompt: string; picture: Seen | null; list: string; maxTokens: number }

/** An answer, before it is converted to the format of a provider. */
export type DeskAnswer = {
  text: string
  refusal: boolean
  half: boolean
  cut: boolean
  inputTokens: number
  outputTokens: number
}

export type Desk = ReturnType<typeof openDesk>

/** Answers the calls of all providers. */
export function openDesk(store: Store) {
  let calls: ModelCall[] = []
  let seen = store.state
  let turn = 0

  /** A reset creates a new state, which also clears the calls. */
  const kept = () => {
    if (seen !== store.state) [calls, seen] = [[], store.state]
    return calls
  }

  return {
    calls: () => kept().toReversed(),
    note(call: Omit<ModelCall, 'at'>): void {
      const all = kept()
      all.push({ at: new Date(store.clock.now()).toISOString(), ...call })
      if (all.length > KEPT_CALLS) all.shift()
    },
    /** Returns the behaviour for a call with this prompt, and counts the call. */
    behave(prompt: string): Behaviour | null {
      const { aiBehaviour: behaviour } = store.state
      if (!behaviour || !prompt.includes(behaviour.about ?? '')) return null
      store.record({ type: 'ai.behaved' })
      return behaviour
    },
    /** Returns the answer to a prompt as one object with the requested list of items. */
    write({ system, prompt, picture, list, maxTokens }: DeskAsk, behaviour: Behaviour | null): DeskAnswer {
      turn += 1
      const items =
        converse(prompt, system, behaviour?.obeyMessages === true) ??
        answerTo(readBrief(prompt, picture), system, turn, behaviour)
      const shaped = behaviour?.answer === 'no_schema' ? items.map((item) => ({ option: item })) : items
      const whole = behaviour?.answer === 'refusal' ? 'I cannot help with that.' : JSON.stringify({ [list]: shaped })
      const wrong =
        behaviour?.answer === 'broken_json' ? `${whole.slice(0, -20).replace(/[\]}]/g, ')')} and so on` : whole
      const outputTokens = Math.ceil(wrong.length / 4)
      const cut = outputTokens > maxTokens
      return {
        text: cut ? wrong.slice(0, maxTokens * 4) : wrong,
        refusal: behaviour?.answer === 'refusal',
        half: behaviour?.answer === 'half',
        cut,
        inputTokens: Math.ceil((system.length + prompt.length) / 4),
        outputTokens: Math.min(outputTokens, maxTokens),
      }
    },
    /** Streams the text as events, piece by piece; half of it if the stream is to be interrupted. */
    stream(
      request: FastifyRequest,
      { text, half }: DeskAnswer,
      behaviour: Behaviour | null,
      form: { before: string[]; piece(text: string): string; after: string[] },
    ): Readable {
      const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, at) =>
        text.slice(at * PIECE, (at + 1) * PIECE),
      )
      const sent = half ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces
      async function* events() {
        yield form.before.join('')
        if (behaviour?.chunkDelayMs === undefined) yield sent.map((piece) => form.piece(piece)).join('')
        else
          for (const piece of sent) {
            await store.clock.wait(behaviour.chunkDelayMs)
            yield form.piece(piece)
          }
        if (half) request.raw.socket.destroy()
        else yield form.after.join('')
      }
      return Readable.from(events())
    },
  }
}
