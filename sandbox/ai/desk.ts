import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Store } from '../store.ts'
import { answerTo, type Behaviour } from './behaviour.ts'
import type { Seen } from './look.ts'
import { readBrief } from './brief.ts'
import { converse } from './converse.ts'

/** A call as it was made, and what came of it: in memory alone. */
export type ModelCall = {
  at: string
  path: string
  model: string
  system: string
  /** As it came; a picture's prompt too. */
  prompt: string
  /** The picture that came beside the prompt, as it was seen. */
  picture?: Seen | null
  status: number
  answer: string
}

const KEPT_CALLS = 200
const PIECE = 24

/** A call, taken out of the form of its provider. */
type DeskAsk = { system: string; prompt: string; picture: Seen | null; list: string; maxTokens: number }

/** An answer before it gets the form of a provider. */
export type DeskAnswer = {
  text: string
  refusal: boolean
  half: boolean
  cut: boolean
  inputTokens: number
  outputTokens: number
}

export type Desk = ReturnType<typeof openDesk>

/** Takes the calls of all providers' forms. */
export function openDesk(store: Store) {
  let calls: ModelCall[] = []
  let seen = store.state
  let turn = 0

  /** A reset makes a new state; what was asked before it is forgotten too. */
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
    /** Reads and counts the behaviour for this call. */
    behave(): Behaviour | null {
      const { aiBehaviour: behaviour } = store.state
      if (behaviour) store.record({ type: 'ai.behaved' })
      return behaviour
    },
    /** The answer to a prompt, as one object with the list of items that was asked for. */
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
    /** Sends events, with the text piece by piece; half of it and no more when it is to break off. */
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
