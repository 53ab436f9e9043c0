import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { freshDatabase } from './database.ts'
import { beside, freePort, startProduct, startSandbox } from './product.ts'

const SCALE = {
  TIME_SCALE: '20',
  DEFAULT_PLAN: 'business',
  NETWORK_CALLS_PER_HOUR: '100000',
  AI_CALLS_PER_MINUTE: '100000',
  CLASSIFICATIONS_PER_MINUTE: '100000',
}

type OnPacket = (packet: Buffer, connection: object) => void

/**
 * Starts a sandbox, a database, and a product that can be killed and restarts at the same address. `onPacket` receives
 * each packet that the product is about to send to the database, and its connection.
 */
export async function killableWorld(onPacket?: OnPacket) {
  const sandbox = await startSandbox({ env: { TIME_SCALE: '20' } })
  const own = await freshDatabase()
  // The network knows one address, so a restarted product must listen there too.
  const env = { ...beside(sandbox), ...SCALE, PORT: String(await freePort()) }
  const line = onPacket && (await tappedLine(own.url, onPacket))
  const databaseUrl = line?.url ?? own.url
  const db = new pg.Client({ connectionString: own.url })
  await db.connect()
  let product = await startProduct({ databaseUrl, env })
  return {
    sandbox,
    db,
    url: () => product.url,
    async kill() {
      const { dataDir } = product
      const killed = product.kill()
      line?.cut()
      await killed
      product = await startProduct({ databaseUrl, dataDir, env })
    },
    async end() {
      await product.stop()
      await db.end()
      await line?.close()
      await own.drop()
      await sandbox.stop()
    },
  }
}

/**
 * A proxy in front of a database. `onPacket` sees each packet to the database before it is forwarded, `onAnswer` each
 * packet back. `cut` drops the connections with everything that is not forwarded yet.
 */
export async function tappedLine(databaseUrl: string, onPacket: OnPacket, onAnswer?: OnPacket) {
  const address = new URL(databaseUrl)
  const path = join(address.searchParams.get('host')!, `.s.PGSQL.${address.port}`)
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(path)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    far.on('data', (packet) => {
      onAnswer?.(packet, near)
      near.write(packet)
    })
    near.on('data', (packet) => {
      onPacket(packet, near)
      if (!far.destroyed) far.write(packet)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = () => open.forEach((socket) => socket.destroy())
  return {
    url: url.href,
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
