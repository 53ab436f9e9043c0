import type { JobName } from './job-names.ts'

/** A job that runs in the process that wrote it. The queue has a copy, due at `runAt`, in case that process dies. */
export interface LocalJob {
  name: JobName
  workspaceId: string
  data: unknown
  key: string
  runAt: Date
}

/** Runs jobs in the process that writes them, without reading the queue. */
export interface LocalRunner {
  /** Whether there is room for one more job of this name. Always false in a process that runs no jobs. */
  takes(name: JobName): boolean
  take(job: LocalJob): void
}

/**
 * Connects the code that writes jobs with the runner of the same process, which exists only while the process runs
 * jobs.
 */
export function createLocalDispatch(): LocalRunner & { setRunner(runner: LocalRunner | undefined): void } {
  let current: LocalRunner | undefined
  return {
    takes: (name) => current?.takes(name) === true,
    take: (job) => current?.take(job),
    setRunner(runner) {
      current = runner
    },
  }
}
