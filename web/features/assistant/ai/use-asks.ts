import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { Generation, Option } from '../../../../src/assistant/ai/api.ts'
import { call, isProblem, ProblemError } from '../../../client.ts'
import { usageQuery } from '../../../queries.ts'
import { usePlace } from '../../shell/workspace.tsx'
import { ask, type Question } from './ask.ts'
import { leftKey } from './queries.ts'

/** Milliseconds until the screen says that a request takes longer than usual. */
const SLOW_MS = 12_000

export interface Asked<About> {
  key: string
  question: Question
  /** What the request is for, defined by the caller. */
  about: About
  state: 'working' | 'done' | 'stopped' | 'failed'
  slow: boolean
  id: string | null
  /** In order of arrival while the request runs, best first afterwards. */
  options: Option[]
  outcome: Generation | null
  error: unknown
}

export const isWorking = ({ state }: Pick<Asked<unknown>, 'state'>) => state === 'working'

interface Line {
  end: AbortController
  /** null until the request has an id. A stop before then takes effect once it has one. */
  id: string | null
  isStopped: boolean
}

/** The problem of a failed generation, in the shape of an error response. */
const failureOf = ({ error }: Generation) =>
  new ProblemError(502, { code: error?.code ?? 'ai_failed', detail: error?.message })

/** The final state of a request. Options are in the service's order, because usage reports refer to their index. */
function endOf(outcome: Generation) {
  const { status, options } = outcome
  if (status === 'FAILED') return { state: 'failed', outcome, error: failureOf(outcome) } as const
  return { state: status === 'CANCELLED' ? 'stopped' : 'done', outcome, options } as const
}

/** Cancels a generation. One that has already ended keeps its result and its cost. */
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
 * AI requests, several at a time, newest first. They keep running when the screen closes, and their results appear in
 * the history.
 */
export function useAsks<About>() {
  const client = useQueryClient()
  const { ws } = usePlace()
  const [asks, setAsks] = useState<Asked<About>[]>([])
  /** The running requests right now; state lags behind. */
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

  /** Starts requests. They replace the earlier ones that `replaced` selects, by default all. */
  const start = useCallback(
    (questions: { question: Question; about: About }[], replaced: (about: About) => boolean = () => true) => {
      const fresh = questions.map(begun)
      setAsks((all) => [...fresh, ...all.filter(({ about }) => !replaced(about))])
      for (const one of fresh) void run(one)
    },
    [run],
  )

  /** Repeats one request in its place and leaves the others alone. */
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
