import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'

/** The database that a command works on: that of the address, or the one in DATA_DIR that Parley runs itself. */
export const dataDir = resolve(process.env['DATA_DIR'] || '.data')
export const databaseUrl = process.env['DATABASE_DIRECT_URL'] || process.env['DATABASE_URL']

/** Returns why there is no database to work on; null if there is one. */
export const whyNoDatabase = (): string | null =>
  databaseUrl || (existsSync(dataDir) && readdirSync(dataDir).some((name) => /^postgres-\d+$/.test(name)))
    ? null
    : `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL`
