import type { JobName } from './job-names.ts'

/** A job that the process which enqueued it runs at once. The queue has it too, from `runAt` on, in case that process dies. */
export interface OwnJob {
  name: JobName
  workspaceId: string
  data: unknown
  key: string
  runAt: Date
}

/** The jobs that a process runs itself when it enqueues them, without the queue. */
export interface OwnJobs {
  /** Whether it runs one more job of a name; never if the process runs no jobs. */
  takes(name: JobName): boolean
  take(job: OwnJob): void
}

/** The queue runs a job that its process took only after this many milliseconds. The job is idempotent anyway. */
export const OWN_FOR = 15_000

/** The own jobs of a process. The runner starts after the first job may be written, and stops before the last. */
export function createOwnJobs(): OwnJobs & { takenBy(taker: OwnJobs | undefined): void } {
  let taker: OwnJobs | undefined
  return {
    takes: (name) => taker?.takes(name) === true,
    take: (job) => taker?.take(job),
    takenBy(one) {
      taker = one
    },
  }
}
