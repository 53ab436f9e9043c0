import type { JobName } from './job-names.ts'

/** A job that the process which wrote it takes at once. The queue has it too, from `runAt` on: for when that process dies. */
export interface OwnJob {
  name: JobName
  workspaceId: string
  data: unknown
  key: string
  runAt: Date
}

/** What a process takes itself of the jobs that it writes, instead of looking for them in the queue. */
export interface OwnJobs {
  /** Whether it takes one more of a name; never where it takes no jobs. */
  takes(name: JobName): boolean
  take(job: OwnJob): void
}

/** The queue gives out a job that its process took only after so many milliseconds: its work is idempotent all the same. */
export const OWN_FOR = 15_000

/** Those of a process, in which jobs begin to be taken later and end to be taken earlier than they are written. */
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
