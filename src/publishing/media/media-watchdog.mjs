import { workerData } from 'node:worker_threads'

// A thread of the decoding process that keeps running when the main thread is blocked. It ends the whole process, with
// the programs that it started, if the parent has died or the process exceeds its memory limit. Plain JavaScript, since
// a worker thread has no TypeScript loader when the product runs from its sources.

/** Milliseconds between two checks: memory fills at about a gigabyte per second. */
const EVERY = 25

/** @type {import('./media-child.ts').Watched} */
const { parent, limit } = workerData

/**
 * `kill(0)` reaches the whole process group, which the parent has created for this process.
 * @param {NodeJS.Signals} signal
 */
function end(signal) {
  try {
    process.kill(0, signal)
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}

setInterval(() => {
  if (process.ppid !== parent) end('SIGKILL')
  else if (process.memoryUsage.rss() > Atomics.load(limit, 0) * 1024 * 1024) end('SIGUSR2')
}, EVERY)
