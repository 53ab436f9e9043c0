import { addFault, graphError } from '../world.ts'

/** The calls of each network: those that prepare, those that cannot be undone, and the reads that settle them. */
const calls = {
  NET_PAGE: {
    prepares: [{ method: 'POST', path: '/photos$' }],
    // The upload of a video ends at the same path as it begins.
    commits: [
      { method: 'POST', path: '/feed$' },
      { method: 'POST', path: '/videos$' },
      { method: 'POST', path: '/video_reels$' },
      { method: 'POST', path: '/comments$' },
    ],
    reads: [
      { method: 'GET', path: '/published_posts' },
      { method: 'GET', path: 'fields=id%2Cstatus' },
      { method: 'GET', path: '/comments' },
    ],
  },
  NET_PHOTO: {
    prepares: [
      { method: 'POST', path: '/media$' },
      { method: 'POST', path: '/rupload/' },
    ],
    commits: [
      { method: 'POST', path: '/media_publish$' },
      { method: 'POST', path: '/comments$' },
    ],
    reads: [
      { method: 'GET', path: '/media\\?' },
      { method: 'GET', path: 'fields=status_code' },
      { method: 'GET', path: '/stories' },
      { method: 'GET', path: '/comments' },
    ],
  },
  NET_VIDEO: {
    prepares: [{ method: 'POST', path: '/video/init/' }],
    commits: [
      { method: 'PUT', path: '/video-upload/' },
      { method: 'POST', path: '/content/init/' },
    ],
    reads: [
      { method: 'POST', path: '/status/fetch/' },
      { method: 'POST', path: '/video/list/' },
    ],
  },
}

const limited = {
  NET_PAGE: { status: 400, body: graphError({ code: 32, message: 'Page request limit reached' }) },
  NET_PHOTO: { status: 400, body: graphError({ code: 4, message: 'Application request limit reached' }) },
  NET_VIDEO: { status: 429 },
}

/**
 * Adds faults before and after the effect, each to the share `rate` of all committing calls, and some to prepares and
 * reads.
 */
export async function addFaults(sandboxUrl: string, rate: number, seed: number): Promise<void> {
  const all = Object.entries(calls).flatMap(([name, { prepares, commits, reads }]) => {
    const network = name as keyof typeof calls
    const each = (matches: object[], faults: object[]) =>
      matches.flatMap((match) => faults.map((fault) => ({ match: { network, ...match }, do: fault })))
    return [
      ...each(commits, [
        { drop: 'after' },
        { drop: 'before' },
        { status: 500, after: true },
        { status: 500 },
        { status: 503, body: 'Service unavailable' },
        { status: 200, body: '{"id":', after: true },
        // Longer than any client waits: the effect happens, and then the answer comes.
        { delayMs: 150_000, after: true },
        { delayMs: 30_000 },
        limited[network],
      ]),
      ...each(prepares, [{ drop: 'after' }, { status: 500 }]),
      ...each(reads, [{ drop: 'before' }, { status: 500 }]),
    ]
  })
  for (const [index, { match, do: fault }] of all.entries()) {
    await addFault(sandboxUrl, { match: { ...match, probability: rate, seed: seed + index }, do: fault })
  }
}
