import sharp from 'sharp'
import { sample, type Sample, send, untilProcessed } from '../../src/publishing/media/testing.ts'
import { changed, endless } from '../hostile-files.ts'
import { video } from '../video.ts'
import { newPerson, type Person, picture } from '../world.ts'

// Measures how long files wait for those of another workspace that are slow or made to do harm.

const PICTURES = 40
const VIDEOS = 10
/** The files of the other workspace that wait at any time. */
const WAITING = 8

/** Milliseconds from the answer of each upload until the file is processed. */
export interface Waits {
  pictures: number[]
  videos: number[]
}

/** Uploads ordinary files one after another, first alone, then while another workspace has files waiting. */
export async function waitsBesideHarm(url: string): Promise<{ alone: Waits; beside: Waits; harmful: number }> {
  const [one, other] = await Promise.all([newPerson(url, 'Ordinary'), newPerson(url, 'Harmful')])
  const film = await video({ seconds: 1 })
  const ordinary = {
    pictures: sample('small.jpg', 'image/jpeg', await picture()),
    videos: sample('small.mp4', 'video/mp4', film),
  }
  const waits = async (): Promise<Waits> => ({
    pictures: await waitsOf(one, ordinary.pictures, PICTURES),
    videos: await waitsOf(one, ordinary.videos, VIDEOS),
  })
  const alone = await waits()
  const harm = keepWaiting(other, await harmful(film))
  const beside = await waits()
  return { alone, beside, harmful: await harm.end() }
}

async function waitsOf(person: Person, file: Sample, times: number): Promise<number[]> {
  const waits: number[] = []
  for (let i = 0; i < times; i += 1) {
    const { body } = await send(person, file)
    const began = performance.now()
    const { state } = await untilProcessed(person, body.id)
    if (state !== 'READY') throw new Error(`${file.name} is ${state}`)
    waits.push(performance.now() - began)
  }
  return waits
}

/** Pictures of few bytes and many pixels, and videos whose index keeps a reader busy. */
async function harmful(film: Buffer): Promise<Sample[]> {
  const plain = sharp({ create: { width: 6000, height: 5000, channels: 3, background: '#3b82f6' } })
  return [
    sample('large.jpg', 'image/jpeg', await plain.clone().jpeg().toBuffer()),
    sample('endless.mp4', 'video/mp4', endless(film)),
    sample('progressive.jpg', 'image/jpeg', await plain.jpeg({ progressive: true }).toBuffer()),
    sample('counts.mp4', 'video/mp4', changed(film, 'stts', 8, 0xffffffff)),
  ]
}

/** Uploads the files in turn, so that `WAITING` are never processed, until `end` is called. It returns how many were. */
function keepWaiting(person: Person, files: Sample[]): { end: () => Promise<number> } {
  let isOver = false
  let processed = 0
  const senders = Array.from({ length: WAITING }, async (_, nth) => {
    for (let i = nth; !isOver; i += 1) {
      const { status, body } = await send(person, files[i % files.length]!)
      if (status !== 201) throw new Error(`A harmful file answered ${status}: ${JSON.stringify(body)}`)
      await untilProcessed(person, body.id)
      processed += 1
    }
  })
  const all = Promise.all(senders)
  // A failure ends the measurement in `end`.
  all.catch(() => {})
  return {
    async end() {
      isOver = true
      await all
      return processed
    },
  }
}
