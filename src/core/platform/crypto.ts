import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** The place of a sealed text. The text does not open in another table, column, workspace or row. */
export interface CipherPlace {
  table: string
  column: string
  workspaceId: string
  rowId: string
}

export interface Crypto {
  seal(text: string, place: CipherPlace): string
  /** Throws when the text was changed, belongs to another place, or was sealed with an unknown key. */
  open(sealed: string, place: CipherPlace): string
  /** The stored form of a secret that is short enough to guess. An attacker who has the hash needs the key too. */
  keyedHash(secret: string): string
}

const keyId = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)
const associated = (place: CipherPlace) =>
  Buffer.from([place.table, place.column, place.workspaceId, place.rowId].join(':'))

/** AES-256-GCM as `v1.<key id>.<nonce>.<text>.<tag>`. The previous key only decrypts. Keys: 64 hexadecimal characters. */
export function createCrypto(key: string, previous?: string): Crypto {
  const current = Buffer.from(key, 'hex')
  const keys = new Map(
    [current, ...(previous ? [Buffer.from(previous, 'hex')] : [])].map((each) => [keyId(each), each]),
  )
  const hashKey = Buffer.from(hkdfSync('sha256', current, '', 'keyed hash', 32))
  return {
    keyedHash: (secret) => createHmac('sha256', hashKey).update(secret).digest('hex'),
    seal(text, place) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(associated(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))
      return `v1.${keyId(current)}.${parts.join('.')}`
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
