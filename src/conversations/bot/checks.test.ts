import { expect, test } from 'vitest'
import { languageTag } from './ask.ts'
import { type Checked, vetoesOf } from './checks.ts'

const delivery = {
  id: 'faq:1',
  text: 'Do you deliver?\nWithin Berlin from 9:00 to 18:00, for 4,50 €. Above 1,000 € it is free.',
}
const contact = {
  id: 'kb:1',
  text: 'contact: mail hello@cafe.example, phone +49 30 1234567, https://cafe.example/menu, @cafe',
}
const usual: Checked = {
  text: 'We deliver within Berlin.',
  message: 'Do you deliver?',
  kind: 'DM',
  platform: 'NET_PAGE',
  cited: [delivery],
  knowledge: [delivery, contact],
  system: 'You answer the customers of a brand from its knowledge and from nothing else.',
  forbidden: ['cheap'],
  blockedTopics: ['politics'],
  language: 'en',
  last: null,
  // Most texts here target one check. This turns off the check for unfounded replies.
  isThanked: true,
}
const of = (text: string, more: Partial<Checked> = {}) => vetoesOf({ ...usual, text, ...more })

test('a reply whose words are missing from what it cites is held, unless it only says thanks', () => {
  const unfounded = { isThanked: false }
  expect(of('We deliver within Berlin.', unfounded)).toEqual([])
  for (const text of ['Bananas are blue.', 'P W N E D', 'You are stupid']) {
    expect([text, of(text, unfounded)]).toEqual([text, ['unfounded']])
  }
  expect(of('We deliver within Berlin.', { isThanked: false, cited: [] })).toEqual(['unfounded'])
  // A passage in another language cannot contain its words.
  const arabic = { id: 'faq:2', text: 'هل توصلون خارج برلين؟\nنعم، نوصل القهوة إلى كل مكان في ألمانيا.' }
  const other = { isThanked: false, cited: [arabic], knowledge: [arabic] }
  expect(of('Yes, everywhere in the country.', other)).toEqual([])
  expect(of('Yes, everywhere in the country.', { ...other, cited: [arabic, delivery] })).toEqual(['unfounded'])
})

test('a reply that repeats words of the customer, which the cited passages lack, is held', () => {
  const asked = (message: string, text: string) => of(text, { isThanked: false, message })
  expect(asked('Do you deliver drugs?', 'We deliver within Berlin.')).toEqual([])
  expect(asked('Do you deliver drugs?', 'We deliver drugs within Berlin.')).toEqual(['unfounded'])
  expect(asked('Do you deliver?', 'We deliver drugs within Berlin.')).toEqual([])
  expect(of('Thanks for your kind words!', { message: 'Such kind people' })).toEqual([])
})

test('a reply that denies something is held, unless a cited passage denies something too, in any language', () => {
  const closed = { id: 'faq:2', text: 'Do you deliver?\nNo, we never deliver outside Berlin.' }
  const arabic = { id: 'faq:3', text: 'هل توصلون؟\nلا، نوصل داخل برلين.' }
  const denies = (text: string, cited = [delivery]) =>
    of(text, { isThanked: false, language: null, cited, knowledge: cited })
  for (const text of ['We never deliver within Berlin.', 'We don’t deliver within Berlin.'])
    expect([text, denies(text)]).toEqual([text, ['unfounded']])
  expect(denies('We never deliver outside Berlin.', [closed])).toEqual([])
  expect(of('No, we deliver inside Berlin.', { isThanked: false, cited: [arabic], knowledge: [arabic] })).toEqual([])
  expect(of('Nous ne livrons pas.', { isThanked: false, language: 'fr', cited: [delivery] })).toContain('unfounded')
})

test('a reply that says what the cited passages say passes', () => {
  for (const text of [
    'We deliver within Berlin.',
    'Yes, from 9:00 to 18:00, for 4.50 €.',
    'Delivery costs 4,50 €; above 1000 € it is free.',
    'نعم، من ٩:٠٠ إلى ١٨:٠٠.',
  ])
    expect([text, of(text, { language: null })]).toEqual([text, []])
})

test('a number, price, time, date, share or code that no cited passage contains is held', () => {
  for (const text of [
    'It costs 5 €.',
    'From 8:00.',
    'It costs ٧ €.',
    'On 12/05.',
    'Take WELCOME10.',
    'With ten percent on top.',
    'Bis zu zwanzig Prozent.',
    'It is 4.51 €.',
  ])
    expect([text, of(text, { language: null })]).toEqual([text, ['number']])
})

test('a number in a passage that is not cited is no evidence', () => {
  expect(of('Call 1234567.')).toContain('number')
  expect(of('Call +49 30 1234567.', { cited: [contact] })).toEqual([])
})

test('a promise is held, in every language that is tested', () => {
  for (const text of [
    'I will check with the kitchen.',
    'I’ve booked it.',
    'Satisfaction guaranteed.',
    'Wir kümmern uns darum.',
    'Nous allons vérifier.',
    'Vamos a revisarlo.',
    'سنتواصل معك.',
    'I\u200B will check with the kitchen.',
    'I wіll check with the kitchen.', // the second letter is Cyrillic
  ])
    expect([text, of(text, { language: null })]).toEqual([text, ['commitment']])
})

test('a refund, discount or gift needs a cited passage that mentions it', () => {
  for (const text of [
    'You get a refund.',
    'Here is a voucher.',
    'Es gibt einen Rabatt.',
    'Une remise.',
    'Un descuento.',
    'هناك خصم.',
  ])
    expect([text, of(text, { language: null })]).toEqual([text, ['offer']])
  expect(of('It is free above 1000 €.')).toEqual([])
  expect(of('It is free above 1000 €.', { cited: [] })).toEqual(['number', 'offer'])
})

test('a link, address, mention or phone number must be in the knowledge, letter for letter', () => {
  expect(of('See https://cafe.example/menu or write to hello@cafe.example.')).toEqual([])
  for (const text of [
    'See https://cafe.example.evil.com',
    'See cafe-example.shop',
    'Ask @someone',
    'See https://cafe.example/other',
  ])
    expect([text, of(text)]).toEqual([text, ['link']])
})

test('the instructions of the model never leak, nor do the names of its fields', () => {
  expect(of('You answer the customers of a brand from its knowledge.')).toEqual(['leak'])
  expect(of('My data is {"toneAttributes": []}')).toEqual(['leak'])
})

test('words that the voice avoids and blocked topics are checked again', () => {
  expect(of('Delivery is cheap.')).toEqual(['forbidden'])
  expect(of('Delivery is ch\u00ADeap.')).toEqual(['forbidden'])
  expect(of('We talk about politics.')).toEqual(['blocked'])
})

test('a reply must be in the language of the message', () => {
  expect(of('نحن نوصل داخل برلين إلى كل الأحياء.')).toEqual(['language'])
  expect(of('نحن نوصل داخل برلين إلى كل الأحياء.', { language: 'ar' })).toEqual([])
})

test('the length is counted as the network counts it', () => {
  expect(of('a'.repeat(601))).toEqual([])
  expect(of('a'.repeat(601), { kind: 'COMMENT' })).toEqual(['length'])
  expect(of('a'.repeat(2_001))).toEqual(['length'])
  // 500 Arabic letters take 1,000 bytes.
  expect(of('ب'.repeat(501), { platform: 'NET_PHOTO', language: 'ar' })).toEqual(['length'])
  expect(of('ب'.repeat(500), { platform: 'NET_PHOTO', language: 'ar' })).toEqual([])
})

test('a repeated or empty reply is held', () => {
  expect(of('We deliver within Berlin!', { last: 'We deliver within Berlin.' })).toEqual(['repeat'])
  expect(of('🙂')).toEqual(['empty'])
})

test('what a model calls a language is read as BCP 47, and what names none as unknown', () => {
  const read = ['en_US', ' ar ', 'DE', 'zh-hant', 'not a language', ''].map(languageTag)
  expect(read).toEqual(['en-US', 'ar', 'de', 'zh-Hant', '', ''])
})
