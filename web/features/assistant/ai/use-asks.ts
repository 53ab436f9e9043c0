import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { Generation, Option } from '../../../../src/assistant/ai/api.ts'
import { call, isProblem, ProblemError } from '../../../client.ts'
import { usageQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { ask, type Question } from './ask.ts'
import { leftKey } from './queries.ts'

/** From then on it is said that it takes longer than usual. */
const SLOW_MS = 12_000

export interface Asked<About> {
  key: string
  question: Question
  /** Its purpose, as the asking place knows it. */
  about: About
  state: 'working' | 'done' | 'stopped' | 'failed'
  slow: boolean
  id: string | null
  /** As they came while it works, best first afterwards. */
  options: Option[]
  outcome: Generation | null
  error: unknown
}

export const isWorking = ({ state }: Pick<Asked<unknown>, 'state'>) => state === 'working'

interface Line {
  end: AbortController
  /** null: not begun yet; it is stopped as soon as it is. */
  id: string | null
  isStopped: boolean
}

/** The problem of a failed generation, as an answer with its status would have it. */
const failureOf = ({ error }: Generation) =>
  new ProblemError(502, { code: error?.code ?? 'ai_failed', detail: error?.message })

/** The card of an ended generation: its options in the order of the service, by which uses are reported. */
function endOf(outcome: Generation) {
  const { status, options } = outcome
  if (status === 'FAILED') return { state: 'failed', outcome, error: failureOf(outcome) } as const
  return { state: status === 'CANCELLED' ? 'stopped' : 'done', outcome, options } as const
}

/** Stops one; what had ended before that is as it ended, and paid for. */
async function stopped(ws: string, id: string): Promise<Generation> {
  try {
    return await call('cancelGeneration', { workspace: ws, params: { id } })
  } catch (error) {
    if (!isProblem(error, 'invalid_state')) throw error
    return call('getGeneration', { workspace: ws, params: { id } })
  }
}

const begun = <About>(one: Pick<Asked<About>, 'question' | 'about'>): Asked<About> => ({
  question: one.question,
  about: one.about,
  key: crypto.randomUUID(),
  state: 'working',
  slow: false,
  id: null,
  options: [],
  outcome: null,
  error: null,
})

/**
 * Questions to the model, one or several at once, the newest first. Their lines stay open when the screen is left: what comes
 * then is found in the history.
 */
export function useAsks<About>() {
  const client = useQueryClient()
  const { ws } = usePlace()
  const [asks, setAsks] = useState<Asked<About>[]>([])
  /** The open questions at this moment. The screen follows later. */
  const lines = useRef(new Map<string, Line>())

  const change = useCallback((key: string, values: Partial<Asked<About>>) => {
    setAsks((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)))
  }, [])

  const renew = useCallback(() => {
    void client.invalidateQueries({ queryKey: usageQuery(ws).queryKey })
    void client.invalidateQueries({ queryKey: [ws, 'generations'] })
  }, [client, ws])

  const cancel = useCallback(
    async (key: string, id: string) => {
      try {
        change(key, endOf(await stopped(ws, id)))
      } catch (error) {
        change(key, { state: 'failed', error })
      }
      lines.current.get(key)?.end.abort()
      renew()
    },
    [change, renew, ws],
  )

  const run = useCallback(
    async ({ key, question }: Asked<About>) => {
      const line: Line = { end: new AbortController(), id: null, isStopped: false }
      lines.current.set(key, line)
      const slow = setTimeout(() => change(key, { slow: true }), SLOW_MS)
      const come: Option[] = []
      try {
        const outcome = await ask(
          ws,
          question,
          {
            onBegin: (id) => {
              line.id = id
              change(key, { id })
              if (line.isStopped) void cancel(key, id)
            },
            onOption: (option) => {
              come.push(option)
              change(key, { options: [...come] })
            },
            onLeft: (left) => client.setQueryData(leftKey(ws), left),
          },
          line.end.signal,
        )
        change(key, endOf(outcome))
      } catch (error) {
        if (!line.end.signal.aborted) change(key, { state: 'failed', error })
      } finally {
        clearTimeout(slow)
        line.end.abort()
        lines.current.delete(key)
        renew()
      }
    },
    [cancel, change, client, renew, ws],
  )

  /** The new ones take the place of those before, or of some of them. */
  const start = useCallback(
    (questions: { question: Question; about: About }[], replaced: (about: About) => boolean = () => true) => {
      const fresh = questions.map(begun)
      setAsks((all) => [...fresh, ...all.filter(({ about }) => !replaced(about))])
      for (const one of fresh) void run(one)
    },
    [run],
  )

  /** Asks one again, in its place; the others stay. */
  const again = useCallback(
    (old: Asked<About>) => {
      const fresh = begun(old)
      setAsks((all) => all.map((one) => (one.key === old.key ? fresh : one)))
      void run(fresh)
    },
    [run],
  )

  const stop = useCallback(
    (key: string) => {
      const line = lines.current.get(key)
      if (!line || line.isStopped) return
      line.isStopped = true
      change(key, { state: 'stopped' })
      if (line.id !== null) void cancel(key, line.id)
    },
    [cancel, change],
  )

  const clear = useCallback((key: string) => setAsks((all) => all.filter((one) => one.key !== key)), [])

  return { asks, working: asks.some(isWorking), start, again, stop, clear }
}
