import { runChaos } from './chaos.ts'
import { runIngest } from './ingest.ts'

// npm run chaos -- [posts] [kills] [seed] [rate of each fault]: the long run. Exits with 1 if anything is lost, live
// twice, or unknown although it could be known.
// npm run chaos -- ingest [events] [kills] [seed]: the same for events of networks.
const say = (line: string) => process.stdout.write(`${line}\n`)
const [first, ...rest] = process.argv.slice(2)
const seedOfNow = Date.now() % 1_000_000

if (first === 'ingest') {
  const [events = 10_000, kills = 5, seed = seedOfNow] = rest.map(Number)
  say(`seed ${seed}`)
  const result = await runIngest({ events, kills, seed, say })
  say(JSON.stringify(result, null, 2))
  if (result.lost.length + result.twice.length > 0 || result.messages !== events) process.exitCode = 1
} else {
  const numbers = process.argv.slice(2).map(Number)
  const [posts = 600, kills = 15, seed = seedOfNow, faultRate = 0.01] = numbers
  say(`seed ${seed}`)
  const result = await runChaos({ posts, kills, seed, faultRate, timeScale: 10, say })
  say(JSON.stringify(result, null, 2))
  const wrong = [result.duplicates, result.lost, result.unconfirmed, result.wrongComments].flat().length
  if (wrong > 0 || result.live + result.unproven < result.targets) process.exitCode = 1
}
