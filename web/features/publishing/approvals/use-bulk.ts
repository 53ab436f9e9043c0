import { useQueryClient } from '@tanstack/react-query'
import type { ListedApproval } from '../../../../src/publishing/approvals/api.ts'
import { isTimePassed } from '../../../../src/publishing/posts/rules.ts'
import { call } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { useKeptRun } from '../posts/kept-run.ts'
import { runPatiently } from '../posts/run-patiently.ts'
import { usePlace } from '../../shell/workspace.tsx'

export interface Result {
  request: ListedApproval
  /** Why it was refused; null if it was approved. */
  why: string | null
  /** Whether it was approved after its time, so that someone must choose a new one. */
  late: boolean
}

/** Approves many requests, four at a time, with the progress and the result of each. */
export function useApproveMany() {
  const why = useProblemText()
  const client = useQueryClient()
  const { ws } = usePlace()
  const [run, setRun] = useKeptRun<{ results: Result[]; total: number }>('approve-run')

  const approve = async (requests: ListedApproval[]) => {
    const results: Result[] = []
    const tell = (result?: Result) => {
      if (result) results.push(result)
      setRun({ results: [...results], total: requests.length })
    }
    tell()
    await runPatiently(requests, async (request, patiently) => {
      try {
        const { post } = await patiently(() => call('approveRequest', { workspace: ws, params: { id: request.id } }))
        tell({ request, why: null, late: post.checks.some(isTimePassed) })
      } catch (error) {
        tell({ request, why: why(error), late: false })
      }
    })
    for (const kind of ['approvals', 'posts', 'calendar', 'post'])
      void client.invalidateQueries({ queryKey: [ws, kind] })
  }

  return { run, running: run !== null && run.results.length < run.total, approve, dismiss: () => setRun(null) }
}
