import { workerData } from 'node:worker_threads'

// A thread of the decoding process that goes on when the main thread is blocked. Ends the whole process, with the programs it
// started, when its parent has died or when it uses more memory than it may. Plain JavaScript: a worker thread has no loader for
// TypeScript where the product runs from its sources.

/** Milliseconds between two looks: memory fills at about a gigabyte per second. */
const EVERY = 25

/** @type {import('./media-child.ts').Watched} */
const { parent, limit } = workerData

/**
 * `kill(0)` reaches the process group, which the parent has made the process's own.
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
