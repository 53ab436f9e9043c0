import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sized } from '../../test/tier.ts'
import { eventually } from '../../test/world.ts'
import { ConfigError, readConfig } from './config.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-config-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const secretsFile = () => join(dataDir, 'secrets.json')
const secrets = {
  JWT_SECRET: 'a'.repeat(32),
  JWT_REFRESH_SECRET: 'b'.repeat(32),
  ENCRYPTION_KEY: '0'.repeat(64),
}
const random = () => randomBytes(32).toString('hex')
const random32 = random()
const production = {
  NODE_ENV: 'production',
  SANDBOX: 'off',
  JWT_SECRET: random(),
  JWT_REFRESH_SECRET: random(),
  ENCRYPTION_KEY: random(),
}

type Settings = Record<string, string | undefined>
const read = (settings: Settings = {}) => readConfig({ DATA_DIR: dataDir, ...settings })

/** The names of the settings that are reported as faulty, taken from the start of each fault. */
function faults(settings: Settings): string[] {
  try {
    read(settings)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
}
const faulty = (settings: Settings) => faults(settings).map((fault) => fault.split(':')[0])

describe('the settings', () => {
  test('need nothing outside production; an empty value counts as unset', () => {
    expect(read()).toMatchObject({ environment: 'development', port: 3000, host: '127.0.0.1', role: 'all' })
    expect(read({ PORT: '', DATABASE_URL: '', SANDBOX: '' })).toEqual(read())
    expect(read().sandbox).toEqual({ token: undefined })
  })

  test('let people write under the tag of networks only in the sandbox, unless the operator says otherwise', () => {
    expect(read().humanAgent).toBe(true)
    expect(read({ HUMAN_AGENT: 'off' }).humanAgent).toBe(false)
    expect(read({ SANDBOX: 'off' }).humanAgent).toBe(false)
    expect(read({ ...production, HUMAN_AGENT: 'on' }).humanAgent).toBe(true)
    expect(faulty({ HUMAN_AGENT: 'yes' })).toEqual(['HUMAN_AGENT'])
  })

  test('trust no proxy, a number of proxies, or proxies at the given addresses', () => {
    const trusted = (text?: string) => read({ TRUST_PROXY: text }).trustProxy
    expect([trusted(), trusted('false'), trusted('true'), trusted('2')]).toEqual([0, 0, 1, 2])
    expect(trusted('10.0.0.0/8, fd00::/8 192.0.2.1')).toEqual(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
    for (const wrong of ['yes', 'proxy.example.test', '0.0.0.0/0', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/'])
      expect(faulty({ TRUST_PROXY: wrong })).toEqual(['TRUST_PROXY'])
  })

  test('report all their faults at once', () => {
    const wrong = {
      PORT: '70000',
      PUBLIC_URL: 'ftp://example.test',
      ROLE: 'boss',
      SANDBOX: 'maybe',
      DEFAULT_PLAN: 'gold',
      PASSWORD_MIN_LENGTH: '4',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'perhaps',
      TIME_SCALE: '0',
      JWT_SECRET: 'short',
      ENCRYPTION_KEY: 'xyz',
      GRAPH_VERSION: 'v18.0',
      SMTP_URL: 'http://mail.example.test',
      MAIL_FROM: 'Parley',
      SMS_BASE_URL: 'smtp://sms.example.test',
    }
    expect(new Set(faulty(wrong))).toEqual(new Set(Object.keys(wrong)))
  })

  test('report faults within one setting together with faults between settings', () => {
    const settings = {
      PORT: 'x',
      JWT_SECRET: secrets.JWT_SECRET,
      JWT_REFRESH_SECRET: secrets.JWT_SECRET,
      NET_PAGE_APP_ID: '1',
    }
    expect(faulty(settings)).toEqual(['PORT', 'JWT_REFRESH_SECRET', 'NET_PAGE_APP_ID, NET_PAGE_APP_SECRET'])
  })

  test('require a complete SMS provider account and a sender that the provider accepts', () => {
    const account = { SMS_ACCOUNT_SID: 'AC1', SMS_AUTH_TOKEN: 'hush-hush' }
    expect(faulty(account)).toEqual(['SMS_ACCOUNT_SID, SMS_AUTH_TOKEN, SMS_FROM'])
    expect(faulty({ ...account, SMS_FROM: '0170 1234567' })).toEqual(['SMS_FROM'])
    for (const SMS_FROM of ['+491701234567', `MG${'a'.repeat(32)}`]) {
      expect(read({ ...account, SMS_FROM }).sms.account?.from).toBe(SMS_FROM)
    }
    expect(read().sms.account).toBeUndefined()
  })

  test('never repeat a secret in a fault', () => {
    const told = faults({
      JWT_SECRET: 'hush-hush',
      ENCRYPTION_KEY: 'hush-hush',
      NET_PAGE_APP_SECRET: 'hush-hush',
      SMTP_URL: 'http://x:hush-hush@y',
    })
    expect(told).toHaveLength(4)
    expect(told.join()).not.toContain('hush-hush')
  })

  test('measure a secret in bytes, not in characters', () => {
    expect(faulty({ JWT_SECRET: 'a'.repeat(31) })).toEqual(['JWT_SECRET'])
    expect(faulty({ JWT_REFRESH_SECRET: 'b'.repeat(31) })).toEqual(['JWT_REFRESH_SECRET'])
    expect(faulty({ JWT_SECRET: 'ä'.repeat(16) })).toEqual([])
    expect(faulty({ ENCRYPTION_KEY: '0'.repeat(63) })).toEqual(['ENCRYPTION_KEY'])
    expect(faulty({ ENCRYPTION_KEY_PREVIOUS: 'g'.repeat(64) })).toEqual(['ENCRYPTION_KEY_PREVIOUS'])
    expect(read({ ENCRYPTION_KEY_PREVIOUS: `${'1'.repeat(64)}, ${'2'.repeat(64)}` }).encryptionKeysPrevious).toEqual([
      '1'.repeat(64),
      '2'.repeat(64),
    ])
  })

  test('use the database address for direct connections unless a direct address is set', () => {
    const DATABASE_URL = 'postgres://pooler/parley'
    expect(read({ DATABASE_URL }).databaseDirectUrl).toBe(DATABASE_URL)
    const DATABASE_DIRECT_URL = 'postgres://direct/parley'
    expect(read({ DATABASE_URL, DATABASE_DIRECT_URL }).databaseDirectUrl).toBe(DATABASE_DIRECT_URL)
  })
})

describe('production', () => {
  test('reports every requirement at once and generates no secrets', () => {
    const forTests = { TIME_SCALE: '2', PRIVATE_LINKS: 'on', PASSWORD_KIB: '64' }
    expect(faulty({ NODE_ENV: 'production', SANDBOX: 'on', ...forTests })).toEqual([
      'JWT_SECRET',
      'JWT_REFRESH_SECRET',
      'ENCRYPTION_KEY',
      'SANDBOX_TOKEN',
      'TIME_SCALE',
      'PRIVATE_LINKS',
      'PASSWORD_KIB',
    ])
    expect(faulty(production)).toEqual([])
    expect(existsSync(secretsFile())).toBe(false)
  })

  test('has no sandbox unless one is requested with a token', () => {
    expect(read({ ...production, SANDBOX: undefined }).sandbox).toBeNull()
    const SANDBOX_TOKEN = 'let-me-in-please-now'
    expect(read({ ...production, SANDBOX: 'on', SANDBOX_TOKEN }).sandbox).toEqual({ token: SANDBOX_TOKEN })
  })

  test('requires a sender with a mail server', () => {
    const SMTP_URL = 'smtp://me:hush-hush@mail.example.test:587'
    expect(faults({ ...production, SMTP_URL })).toEqual(['MAIL_FROM: is required with SMTP_URL'])
    for (const MAIL_FROM of ['hello@example.test', 'Parley <hello@example.test>']) {
      expect(read({ ...production, SMTP_URL, MAIL_FROM })).toMatchObject({ smtpUrl: SMTP_URL, mailFrom: MAIL_FROM })
    }
    expect(read({ SMTP_URL })).toMatchObject({ smtpUrl: SMTP_URL, mailFrom: undefined })
    for (const MAIL_FROM of ['Parley', 'a@b <c@d>\nBcc: x@y', '<a@b', 'a b@c']) {
      expect(faulty({ SMTP_URL, MAIL_FROM }), MAIL_FROM).toEqual(['MAIL_FROM'])
    }
  })

  test('refuses two identical secrets', () => {
    expect(faulty({ ...production, JWT_REFRESH_SECRET: production.JWT_SECRET })).toEqual(['JWT_REFRESH_SECRET'])
    expect(faulty({ JWT_SECRET: random32, JWT_REFRESH_SECRET: random32 })).toEqual(['JWT_REFRESH_SECRET'])
    expect(faulty({ ...production, JWT_SECRET: production.ENCRYPTION_KEY })).toEqual(['ENCRYPTION_KEY'])
    const [old, older] = [random(), random()]
    const previous = (...keys: string[]) => faulty({ ...production, ENCRYPTION_KEY_PREVIOUS: keys.join(', ') })
    expect([previous(old, older), previous(old, old), previous(old, production.ENCRYPTION_KEY)]).toEqual([
      [],
      ['ENCRYPTION_KEY_PREVIOUS'],
      ['ENCRYPTION_KEY_PREVIOUS'],
    ])
  })

  test('refuses to send secrets and tokens without encryption', () => {
    for (const name of [
      'NET_PAGE_GRAPH_URL',
      'NET_PAGE_VIDEO_URL',
      'NET_PAGE_DIALOG_URL',
      'NET_PAGE_CALLBACK_URL',
      'NET_PHOTO_CALLBACK_URL',
      'NET_VIDEO_API_URL',
      'NET_VIDEO_AUTH_URL',
      'NET_VIDEO_CALLBACK_URL',
      'SMS_BASE_URL',
    ]) {
      expect(faulty({ ...production, [name]: 'http://proxy.example.test' }), name).toContain(name)
      expect(faulty({ ...production, [name]: 'https://proxy.example.test' }), name).not.toContain(name)
      expect(faulty({ ...production, [name]: 'http://127.0.0.1:8080' }), name).not.toContain(name)
    }
  })

  test('refuses secrets that only look random and accepts all that are random', () => {
    const guessable = [
      `${'0'.repeat(57)}1234567`,
      '00112233445566778899aabbccddeeff'.repeat(2),
      `${'a'.repeat(40)}bcdefgh`,
      'changemechangemechangemechangeme!',
      'my-secret-key-abc'.repeat(2),
      'abcdefghijklmnopqrstuvwxyzABCDEF',
      '0123456789abcdefghijklmnopqrstuvwxyz',
      'qazaqzqazqaqzaqzaqazqaqzqazaqzaq',
    ]
    for (const JWT_SECRET of guessable)
      expect(faulty({ ...production, JWT_SECRET }), JWT_SECRET).toEqual(['JWT_SECRET'])
    for (const METRICS_TOKEN of [
      'a'.repeat(16),
      'abcdefghijklmnop',
      'metrics-password',
      '0123456701234567',
      'qazaqzqazqaqzaqz',
    ])
      expect(faulty({ ...production, METRICS_TOKEN }), METRICS_TOKEN).toEqual(['METRICS_TOKEN'])
    for (let i = 0; i < sized(200, 2_000); i += 1) {
      const made = {
        JWT_SECRET: random(),
        JWT_REFRESH_SECRET: randomBytes(24).toString('base64'),
        ENCRYPTION_KEY: random(),
        METRICS_TOKEN: randomBytes(8).toString('hex'),
      }
      expect(faulty({ ...production, ...made }), JSON.stringify(made)).toEqual([])
    }
  })

  test('refuses guessable secrets, short tokens and an unencrypted public address', () => {
    const wrong = {
      JWT_SECRET: 'a'.repeat(64),
      JWT_REFRESH_SECRET: 'correct-horse-1!'.repeat(4),
      ENCRYPTION_KEY: '0'.repeat(64),
      ENCRYPTION_KEY_PREVIOUS: '0123456789abcdef'.repeat(4),
      SANDBOX_TOKEN: 'fifteen-letters',
      METRICS_TOKEN: 'short',
      NET_PAGE_VERIFY_TOKEN: 'verify-me',
      PUBLIC_URL: 'http://parley.example.test',
      NET_PAGE_UPLOAD_URL: 'http://proxy.example.test',
      NET_VIDEO_UPLOAD_URL: 'http://proxy.example.test',
      DATABASE_URL: 'nope',
    }
    expect(new Set(faulty({ ...production, ...wrong }))).toEqual(new Set(Object.keys(wrong)))
    expect(faulty({ ...wrong, DATABASE_URL: undefined })).toEqual([])
    for (const address of ['https://parley.example.test', 'http://127.0.0.1:3000', 'http://localhost:3000']) {
      const addresses = { PUBLIC_URL: address, NET_PAGE_UPLOAD_URL: address, NET_VIDEO_UPLOAD_URL: address }
      expect(faulty({ ...production, ...addresses })).toEqual([])
    }
  })
})

describe('generated secrets', () => {
  const parts = ({ jwtSecret, jwtRefreshSecret, encryptionKey }: ReturnType<typeof read>) => [
    jwtSecret,
    jwtRefreshSecret,
    encryptionKey,
  ]

  test('are created once, long and distinct, in a file that only the owner can read', async () => {
    const made = parts(read())
    expect(new Set(made).size).toBe(3)
    for (const secret of made) expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(parts(read())).toEqual(made)
    expect((await stat(secretsFile())).mode & 0o777).toBe(0o600)
    expect(await readdir(dataDir)).toEqual(['secrets.json'])
  })

  test('differ in another data directory, which only its owner can enter', async () => {
    const elsewhere = join(dataDir, 'not', 'there', 'yet')
    expect(parts(read({ DATA_DIR: elsewhere }))).not.toEqual(parts(read()))
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o700)
  })

  test('yield to secrets from the environment', () => {
    expect(read({ JWT_SECRET: secrets.JWT_SECRET })).toMatchObject({
      jwtSecret: secrets.JWT_SECRET,
      encryptionKey: read().encryptionKey,
    })
  })

  test.each(['', '{"JWT_SECRET":"hush', '{}', '{"JWT_SECRET":"a"}'])(
    'that are damaged are reported, not replaced: %s',
    async (content) => {
      await writeFile(secretsFile(), content)
      expect(faults({})).toEqual([`${secretsFile()}: is damaged; restore it, or the stored tokens cannot be opened`])
      expect(await readFile(secretsFile(), 'utf8')).toBe(content)
    },
  )

  test('are the same for processes that start at the same time', async () => {
    const script = `
      import { existsSync, writeFileSync } from 'node:fs'
      import { readConfig } from '${join(import.meta.dirname, 'config.ts')}'
      writeFileSync('${dataDir}/ready-' + process.pid, '')
      while (!existsSync('${dataDir}/go'));
      process.stdout.write(readConfig().encryptionKey)`
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      }),
    )
    const keys = Promise.all(processes.map((each) => text(each.stdout)))
    await eventually(async () => (await readdir(dataDir)).length === processes.length)
    await writeFile(join(dataDir, 'go'), '')
    expect(new Set(await keys)).toEqual(new Set([read().encryptionKey]))
  })
})

test('the reference lists exactly the settings that the code reads', async () => {
  const source = await readFile(join(import.meta.dirname, 'config.ts'), 'utf8')
  const schema = source.slice(source.indexOf('const Environment'), source.indexOf('const productionNeeds'))
  const known = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name)
  const reference = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const listed = [...reference.matchAll(/^\| (`[A-Z_`, ]+`) +\|/gm)].flatMap(
    ([, names]) => names?.match(/[A-Z_]+/g) ?? [],
  )
  expect(known.length).toBeGreaterThan(20)
  expect(new Set(listed)).toEqual(new Set(known))
})
