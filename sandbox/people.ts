/**
 * The people of the sandbox. Each is generated from a number, so that every test has its own people and nothing is
 * stored.
 */

export type OwnedPage = {
  id: string
  name: string
  username: string
  category: string
  followers: number
  userId: string
}

/** A photo account, linked to a page. */
export type PhotoAccount = {
  id: string
  name: string
  username: string
  followers: number
  pageId: string
  userId: string
}

/** A person's creator account on the video network. */
export type Creator = {
  openId: string
  key: string
  name: string
  username: string
  followers: number
  userId: string
  /** Whether the account is visible to few people. Duets and stitches are then not allowed either. */
  private: boolean
  commentsOff: boolean
  maxSeconds: number
}

export type Person = { id: string; key: string; name: string; pages: OwnedPage[] }

/** The rights of a person on a page, unless the console removes them. */
export const ALL_TASKS = ['ANALYZE', 'ADVERTISE', 'MESSAGING', 'MODERATE', 'CREATE_CONTENT', 'MANAGE']

const FIRST_NAMES = ['Alex', 'Robin', 'Sam', 'Kim', 'Jo', 'Charlie', 'Noor', 'Mika', 'Toni', 'Uli', 'Sasha', 'Luca']
const PLACES = ['Harbour', 'Meadow', 'Lantern', 'Juniper', 'Willow', 'Copper', 'Maple', 'Riverside', 'Cedar', 'Pebble']
const TRADES = [
  ['Bakery', 'Bakery'],
  ['Books', 'Bookshop'],
  ['Bicycles', 'Bicycle shop'],
  ['Garden', 'Garden centre'],
  ['Pottery', 'Pottery'],
  ['Tea Room', 'Tea room'],
  ['Flowers', 'Florist'],
  ['Kitchen', 'Restaurant'],
  ['Records', 'Record shop'],
] as const
const FIRST_PAGES = [
  ['Northside Coffee', 'Coffee shop'],
  ['Lantern Street Books', 'Bookshop'],
  ['Meadow and Oak Garden', 'Garden centre'],
] as const

/** From this number on, each person runs the demo's café, with two pages, and has the same name on every network. */
const DEMO_PEOPLE = 900_000_000
const DEMO_PAGES = [
  ['Northside Coffee', 'Coffee shop'],
  ['Northside Roastery', 'Coffee roaster'],
] as const
/** From this number up to `DEMO_PEOPLE`, each person runs the café under its Arabic name. */
const DEMO_PEOPLE_IN_ARABIC = 850_000_000
const DEMO_PAGES_IN_ARABIC = [
  ['مقهى الشمال', 'مقهى'],
  ['محمصة الشمال', 'محمصة قهوة'],
] as const
/** Latin versions of names, for usernames. */
const IN_LATIN: Readonly<Record<string, string>> = {
  'مقهى الشمال': 'Maqha Alshamal',
  'محمصة الشمال': 'Mahmasat Alshamal',
}
const inLatin = (name: string) => (IN_LATIN[name] ?? name).toLowerCase()

/** If the number of a person is a multiple of this, their second page is small. */
const SMALL = 83

/** Finds the person of a key such as `u1` (three pages) or `u7` (all others: two pages); undefined for other keys. */
export function findPerson(key: string): Person | undefined {
  return /^u[1-9]\d{0,8}$/.test(key) ? personOf(Number(key.slice(1))) : undefined
}

export function findPersonById(id: string): Person | undefined {
  const number = /^10(\d{9})0001$/.exec(id)?.[1]
  return number === undefined || Number(number) === 0 ? undefined : personOf(Number(number))
}

export function findPage(id: string): OwnedPage | undefined {
  const number = /^61(\d{9})000[1-3]$/.exec(id)?.[1]
  if (number === undefined || Number(number) === 0) return undefined
  return personOf(Number(number)).pages.find((page) => page.id === id)
}

/** Returns the photo account of a page. A person's last page has none. */
export function photoAccountOf(page: OwnedPage): PhotoAccount | undefined {
  const pages = findPersonById(page.userId)?.pages ?? []
  if (pages.at(-1)?.id === page.id) return undefined
  const { name, username, followers, userId } = page
  return {
    id: `1784${page.id.slice(2)}`,
    name,
    username: username.replaceAll('.', '_'),
    followers,
    pageId: page.id,
    userId,
  }
}

/** Finds a photo account by its username, which ends in the number of its person. */
export function findPhotoAccountNamed(username: string): PhotoAccount | undefined {
  const number = /_([1-9]\d{0,8})$/.exec(username)?.[1]
  if (number === undefined) return undefined
  return personOf(Number(number))
    .pages.map(photoAccountOf)
    .find((account) => account?.username === username.toLowerCase())
}

export function findPhotoAccount(id: string): PhotoAccount | undefined {
  const page = /^1784\d{13}$/.test(id) ? findPage(`61${id.slice(4)}`) : undefined
  return page && photoAccountOf(page)
}

/**
 * Finds the creator of a key such as `u1`. Every 97th account is private and every 89th has comments off, except for
 * cafés of the demo; every 89th allows only short videos.
 */
export function findCreatorOf(key: string): Creator | undefined {
  const person = findPerson(key)
  return person && creatorOf(person)
}

export function findCreator(openId: string): Creator | undefined {
  const number = /^-0(\d{9})-v1$/.exec(openId)?.[1]
  return number === undefined || Number(number) === 0 ? undefined : creatorOf(personOf(Number(number)))
}

function creatorOf({ id, key, name }: Person): Creator {
  const number = Number(key.slice(1))
  const [isCafe, isShort] = [number >= DEMO_PEOPLE_IN_ARABIC, number % 89 === 0]
  return {
    openId: `-0${key.slice(1).padStart(9, '0')}-v1`,
    key,
    name,
    username: `${inLatin(name).replaceAll(' ', '_')}_${number}`,
    followers: 40 + ((number * 53) % 9000),
    userId: id,
    private: number % 97 === 0 && !isCafe,
    commentsOff: isShort && !isCafe,
    maxSeconds: isShort ? 60 : 600,
  }
}

function personOf(number: number): Person {
  const digits = String(number).padStart(9, '0')
  const id = `10${digits}0001`
  const shop = number >= DEMO_PEOPLE_IN_ARABIC
  const cafe = number >= DEMO_PEOPLE ? DEMO_PAGES : DEMO_PAGES_IN_ARABIC
  const names = number === 1 ? FIRST_PAGES : shop ? cafe : [0, 1].map((index) => madeUp(number * 2 + index))
  return {
    id,
    key: `u${number}`,
    name: shop ? cafe[0][0] : `${FIRST_NAMES[(number - 1) % FIRST_NAMES.length]} Example`,
    pages: names.map(([name, category], index) => ({
      id: `61${digits}000${index + 1}`,
      name,
      username: `${inLatin(name).replaceAll(/[^a-z]+/g, '.')}.${number}`,
      category,
      followers: number % SMALL === 0 && index === 1 && !shop ? 60 : 120 + ((number * 37 + index * 211) % 5000),
      userId: id,
    })),
  }
}

function madeUp(number: number): readonly [string, string] {
  const [trade, category] = TRADES[(number * 5) % TRADES.length] ?? TRADES[0]
  return [`${PLACES[(number * 7) % PLACES.length]} ${trade}`, category]
}
