import type { JobName } from './job-names.ts'

/** A job that the process which wrote it runs itself. The queue has a copy, due at `runAt`, for when that process dies. */
export interface LocalJob {
  name: JobName
  workspaceId: string
  data: unknown
  key: string
  runAt: Date
}

/** Runs jobs in the process that writes them, without a look into the queue. */
export interface LocalRunner {
  /** Whether there is room for one more job of this name. Never where the process runs no jobs. */
  takes(name: JobName): boolean
  take(job: LocalJob): void
}

/** The way of a process from writing jobs to running them. It has a runner only while the process runs jobs. */
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
