import { runChaos } from './chaos.ts'

// npm run chaos -- [posts] [kills] [seed] [rate of each fault]: the long run. Ends with exit code 1 when anything is lost, live twice or not known where it can be.
const [posts = 600, kills = 15, seed = Date.now() % 1_000_000, faultRate = 0.01] = process.argv.slice(2).map(Number)
const say = (line: string) => process.stdout.write(`${line}\n`)
say(`seed ${seed}`)
const result = await runChaos({ posts, kills, seed, faultRate, timeScale: 10, say })
say(JSON.stringify(result, null, 2))
const wrong = [result.duplicates, result.lost, result.unconfirmed, result.wrongComments].flat().length
if (wrong > 0 || result.live + result.unproven < result.targets) process.exitCode = 1
