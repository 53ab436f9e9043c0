import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** The columns with sealed texts, in tables with the key (workspace_id, id). `reseal.ts` reads them all. */
export const SEALED_COLUMNS = {
  social_account: ['access_token', 'user_token', 'refresh_token'],
  audience_identity: ['value'],
  report_mail: ['sealed'],
} as const

/** The jobs whose data has `id` and `sealed`, each with the column of its place. `reseal.ts` reads them all. */
export const SEALED_JOBS = { mail: 'mail', sms: 'sms', 'one-time-code': 'code' } as const

/** The place of a sealed text. The text does not open in another table, column, workspace or row. */
export type CipherPlace = {
  workspaceId: string
  rowId: string
} & (
  | { table: keyof typeof SEALED_COLUMNS | 'secret_canary'; column: string }
  | { table: 'job'; column: (typeof SEALED_JOBS)[keyof typeof SEALED_JOBS] }
)

export interface Crypto {
  seal(text: string, place: CipherPlace): string
  /** Throws when the text was changed, belongs to another place, or was sealed with an unknown key. */
  open(sealed: string, place: CipherPlace): string
  /** The stored form of a secret that is short enough to guess. An attacker who has the hash needs the key too. */
  keyedHash(secret: string): string
  /** The id of the key that seals. It is public: every sealed text names its key. */
  readonly keyId: string
  /** Whether a key of this id can open what it sealed. */
  knows(keyId: string): boolean
}

const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)
/** The id of a key of 64 hexadecimal characters. */
export const keyIdOf = (key: string) => idOf(Buffer.from(key, 'hex'))
/** The id of the key that sealed a text. Undefined if the text is not sealed. */
export const sealedBy = (sealed: string): string | undefined => /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1]
/** The key of hashes that belongs to a key of 64 hexadecimal characters, in the same form. */
export const hashKeyOf = (key: string) =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), '', 'keyed hash', 32)).toString('hex')
const associated = (place: CipherPlace) =>
  Buffer.from([place.table, place.column, place.workspaceId, place.rowId].join(':'))

/**
 * AES-256-GCM as `v1.<key id>.<nonce>.<text>.<tag>`. Previous keys only decrypt. Keys have 64 hexadecimal characters.
 * `hashKey` stays the same when the key changes, because hashes cannot be made again. By default it comes from the key.
 */
export function createCrypto(key: string, previous: readonly string[] = [], hashKey = hashKeyOf(key)): Crypto {
  const current = Buffer.from(key, 'hex')
  const keys = new Map([key, ...previous].map((each) => [keyIdOf(each), Buffer.from(each, 'hex')]))
  const hashing = Buffer.from(hashKey, 'hex')
  const keyId = idOf(current)
  return {
    keyId,
    knows: (id) => keys.has(id),
    keyedHash: (secret) => createHmac('sha256', hashing).update(secret).digest('hex'),
    seal(text, place) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(associated(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return `v1.${keyId}.${parts.join('.')}`
    },
    open(sealed, place) {
      const [version, id, nonce, text, tag] = sealed.split('.')
      const opening = keys.get(id ?? '')
      if (version !== 'v1' || !opening || !nonce || text === undefined || !tag) {
        throw new Error(
          `A sealed ${place.table}.${place.column} cannot be opened: it is damaged, or its key is unknown`,
        )
      }
      const decipher = createDecipheriv('aes-256-gcm', opening, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
      decipher.setAAD(associated(place)).setAuthTag(Buffer.from(tag, 'base64url'))
      return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8')
    },
  }
}

/** The stored form of a secret that is only compared. */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** A secret of 256 bits for an address or a cookie. */
export const newSecret = () => randomBytes(32).toString('base64url')
