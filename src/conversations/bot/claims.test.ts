import { expect, test } from 'vitest'
import { addsItem, movesOffer, swapsNumbers } from './bindings.ts'
import { type Checked, vetoesOf } from './checks.ts'
import { agreesBlindly, repeatsOnly } from './claims.ts'
import type { Passage } from './knowledge.ts'

// What a reply claims beyond the words of its passages.

const faq = (...entries: [question: string, answer: string][]): Passage[] =>
  entries.map(([question, answer], at) => ({ id: `faq:${at + 1}`, text: `${question}\n${answer}` }))

const bakery = faq(
  ['Which cakes are vegan?', 'The carrot cake is vegan. The cheesecake is not vegan.'],
  ['When are you open?', 'We are open Tuesday to Friday from 7:00 to 18:00 and on Saturday from 8:00 to 14:00.'],
  ['Do you have a loyalty card?', 'With our stamp card every tenth coffee is free for members.'],
  [
    'Do you have gluten-free bread?',
    'Yes, on Thursdays we bake a gluten-free buckwheat loaf. It is not suitable for coeliacs.',
  ],
  ['How much is a tasting?', 'A tasting costs £55 and a course £70.'],
  ['How do you make your sourdough?', 'Our sourdough contains only flour, water and salt.'],
  ['Do you deliver?', 'We deliver within Bristol on Fridays for £4. Delivery is free above £50.'],
  ['Do your products contain nuts?', 'The brownie contains nuts. We cannot rule out traces in any product.'],
  ['Can I rent an oven?', 'Yes, an oven costs £12 per day.'],
)
const garage = faq(
  ['Repariert ihr E-Bikes?', 'Ja, wir reparieren E-Bikes von Bosch. Akkus reparieren wir nicht.'],
  ['Holt ihr Räder ab?', 'Wir holen Räder gegen 15 Euro ab. Für Stammkunden ist die Abholung kostenlos.'],
)
const hotel = faq(['متى تسجيل الوصول والمغادرة؟', 'تسجيل الوصول من الساعة 15:00، والمغادرة حتى الساعة 11:00.'])

const heldFor = (text: string, message: string, cited: readonly Passage[], more: Partial<Checked> = {}) =>
  vetoesOf({
    text,
    message,
    conversation: [],
    kind: 'DM',
    platform: 'NET_PAGE',
    cited,
    knowledge: cited,
    system: 'You answer the customers of a brand from its knowledge and from nothing else.',
    style: [],
    forbidden: [],
    blockedTopics: [],
    language: null,
    last: null,
    isThanked: false,
    ...more,
  })

type Pair = [message: string, text: string]
const isHeld = (pairs: Pair[], cited: readonly Passage[], more: Partial<Checked> = {}) =>
  expect(pairs.map(([message, text]) => [text, heldFor(text, message, cited, more).length > 0])).toEqual(
    pairs.map(([, text]) => [text, true]),
  )
const isSent = (pairs: Pair[], cited: readonly Passage[], more: Partial<Checked> = {}) =>
  expect(pairs.map(([message, text]) => [text, heldFor(text, message, cited, more)])).toEqual(
    pairs.map(([, text]) => [text, []]),
  )

test('a reply that only repeats the message is held, unless it is a whole sentence of a passage', () => {
  isHeld(
    [
      ['Free coffee?', 'Yes, of course: Free coffee.'],
      ['Delivery free?', 'Yes, of course: Delivery free.'],
      ['Say: every tenth coffee is free', 'every tenth coffee is free'],
      ['Bread on Thursday?', 'Yes, bread on Thursday.'],
    ],
    bakery,
  )
  isHeld([['Abholung kostenlos?', 'Ja, natürlich: Abholung kostenlos.']], garage)
  const whole = 'Our sourdough contains only flour, water and salt.'
  isSent([[`Is it true that ${whole}`, whole]], bakery)
})

test('only a part of what a passage says is a repetition, by itself', () => {
  const isRepeated = (text: string, message: string) => repeatsOnly(text, [message], bakery)
  expect(isRepeated('Yes, of course: Free coffee.', 'Free coffee?')).toBe(true)
  expect(isRepeated('every tenth coffee is free', 'Say: every tenth coffee is free')).toBe(true)
  expect(isRepeated('The carrot cake is vegan.', 'Is the carrot cake vegan?')).toBe(false)
  expect(isRepeated('A tasting costs £55.', 'How much is a tasting?')).toBe(false)
  expect(isRepeated('We open on Saturday.', 'You open on Saturday?')).toBe(true)
})

test('a yes takes up denials, days, numbers and passages about the question, by itself', () => {
  const isBlind = (message: string, text: string, cited = bakery.slice(0, 1)) =>
    agreesBlindly(text, message, cited, bakery)
  expect(isBlind('Is the cheesecake vegan?', 'Yes! The carrot cake is vegan.')).toBe(true)
  // The passage about nuts is not cited.
  expect(isBlind('Does the carrot cake contain nuts?', 'Yes! The carrot cake is vegan.')).toBe(true)
  expect(isBlind('Is it ok on Monday?', 'Yes! The carrot cake is vegan.')).toBe(true)
  expect(isBlind('I come at 7. Is the cake vegan?', 'Yes! The carrot cake is vegan.')).toBe(true)
  // A word of a denial in another passage.
  expect(isBlind('Is it suitable?', 'Yes! The carrot cake is vegan.')).toBe(true)
  expect(isBlind('Is the carrot cake vegan?', 'Yes! The carrot cake is vegan.')).toBe(false)
  expect(isBlind('Is it for my aunt?', 'Yes! The carrot cake is vegan.')).toBe(false)
  expect(isBlind('Is the cheesecake vegan?', 'The carrot cake is vegan.')).toBe(false)
  // What a sentence excludes is not affirmed.
  const except = faq(['?', 'We repair bikes except batteries.'])
  expect(agreesBlindly('Yes! We repair bikes.', 'Do you repair batteries?', except, except)).toBe(true)
})

test('a short yes may begin a reply', () => {
  const sold = faq(['Do you deliver?', 'We deliver to Vienna and Graz for 5 euros.'])
  isSent(
    [
      ['Do you deliver?', 'Yes, we do! We deliver to Vienna and Graz.'],
      ['Liefert ihr?', 'Ja, das haben wir! We deliver to Vienna and Graz.'],
    ],
    sold,
  )
})

test('a yes is held if what follows leaves out what the knowledge says of the question', () => {
  isHeld(
    [
      ['Is the cheesecake vegan?', 'Yes, of course! The carrot cake is vegan.'],
      ['Are you open on Monday?', 'Yes, definitely! We are open from 7:00 to 18:00.'],
      ['Does the carrot cake contain nuts?', 'Sorry, but you can definitely have it! The carrot cake is vegan.'],
      [
        'Do I pay for the coffee?',
        'You can have it, it is on us! Every tenth coffee is free for members with our stamp card.',
      ],
      ['Is your bread ok for coeliacs?', 'Yes, on Thursdays we bake a gluten-free buckwheat loaf.'],
      ['Is your bread ok for coeliacs?', 'On Thursdays we bake a gluten-free buckwheat loaf.'],
    ],
    bakery,
  )
  isHeld(
    [
      ['Repariert ihr Akkus?', 'Ja, natürlich! Wir reparieren E-Bikes von Bosch.'],
      ['Repariert ihr Akkus?', 'Das ist natürlich kein Problem! Wir reparieren E-Bikes von Bosch.'],
    ],
    garage,
  )
  isSent(
    [
      ['Do you have vegan cakes?', 'Yes, the carrot cake is vegan.'],
      ['Do you deliver far?', 'Yes, we deliver within Bristol on Fridays for £4.'],
      ['Are you open on Friday?', 'Yes, from Tuesday to Friday we are open from 7:00 to 18:00.'],
    ],
    bakery,
  )
  isSent([['Repariert ihr E-Bikes?', 'Ja, klar, wir reparieren E-Bikes von Bosch.']], garage)
})

test('thanks for a promise, and a yes to thanks, are held', () => {
  const thanked = { isThanked: true }
  isHeld(
    [
      ['Thanks for confirming that my brownie is without nuts!', 'You’re welcome!'],
      ['Thank you for agreeing to refund my £38!', 'You’re welcome, our pleasure!'],
      ['Great, then I come on Monday. Thanks!', 'See you soon!'],
      ['Thanks for the carrot cake!', 'Yes, definitely!'],
      ['Danke für die Zusage', 'Sehr gern, bis bald!'],
      ['شكرا لأنكم أكدتم أن الغرفة مجانية لي', 'على الرحب والسعة!'],
    ],
    bakery,
    thanked,
  )
  isSent(
    [
      ['Thanks, the carrot cake was lovely!', 'Thank you, we are glad you enjoyed the carrot cake!'],
      ['Danke, sehr lecker!', 'Vielen Dank, bis bald!'],
      ['Thanks for the fast delivery!', 'You’re very welcome!'],
      ['10/10, thank you!', 'Thank you so much!'],
      ['Never had a better time, thanks!', 'Of course! You are welcome.'],
    ],
    bakery,
    thanked,
  )
})

test('a message that begins with thanks and takes something for granted is no question', () => {
  isHeld([['Thanks for giving me my £38 back!', 'With pleasure, a tasting costs £55!']], bakery)
})

test('what is said of some is not said of all', () => {
  const some = faq(['?', 'We repair bikes that we sold, daily from 9:00.'])
  isHeld([['What do you repair?', 'We repair all bikes that we sold.']], some)
  isSent([['What do you repair?', 'Every day from 9:00 we repair bikes that we sold.']], some)
})

test('an offer stays with the things and conditions that its sentence names', () => {
  isHeld(
    [
      ['How much is a tasting?', 'A tasting is free for members.'],
      ['Tell me about coffee', 'Coffee is free for members.'],
      ['What about bread?', 'On Thursdays the buckwheat loaf is free.'],
      ['How much is delivery?', 'Delivery is free within Bristol.'],
    ],
    bakery,
  )
  isHeld([['Was kostet die Abholung?', 'Wir holen Räder ab, die Abholung ist kostenlos.']], garage)
  isSent(
    [
      ['Any loyalty card?', 'With our stamp card every tenth coffee is free for members.'],
      ['What does delivery cost?', 'Delivery within Bristol on Fridays costs £4, and it is free above £50.'],
      [
        'Do you bake without gluten?',
        'On Thursdays we bake a gluten-free buckwheat loaf. It is not suitable for coeliacs.',
      ],
    ],
    bakery,
  )
})

test('words such as "gluten-free" offer nothing, and "cost-free" does', () => {
  const paid = faq(['Do you deliver?', 'Delivery in Bristol costs £4.'])
  for (const text of [
    'Delivery is cost-free.',
    'Delivery in Bristol is free of cost.',
    'Delivery in Bristol is free from Monday.',
  ])
    expect([text, heldFor(text, 'Delivery?', paid)]).toEqual([text, expect.arrayContaining(['offer'])])
  for (const text of ['It is gluten-free.', 'It is free of nuts.'])
    expect([text, heldFor(text, 'Which?', paid).includes('offer')]).toEqual([text, false])
})

test('an offer above an amount needs the amount', () => {
  const offersIn = (text: string) => (/free/i.test(text) ? [OFFER] : [])
  const OFFER = ['free']
  const isMoved = (text: string) => movesOffer(text, bakery, offersIn)
  expect(isMoved('Delivery is free.')).toBe(true)
  expect(isMoved('Delivery is free above £50.')).toBe(false)
})

test('a number, currency, day or period stays with what the passage gives it to', () => {
  isHeld(
    [
      ['How much is a tasting?', 'A tasting costs £70 and a course £55.'],
      ['How much is a tasting?', 'A tasting costs $55.'],
      ['When are you open on Saturday?', 'On Saturday we are open from 7:00 to 18:00.'],
      ['Do you deliver on Saturday?', 'We deliver within Bristol on Saturday for £4.'],
      ['What does an oven cost?', 'An oven costs £12 per week.'],
    ],
    bakery,
  )
  isHeld([['متى تسجيل الوصول؟', 'تسجيل الوصول من الساعة 11:00، والمغادرة حتى الساعة 15:00.']], hotel)
  isSent(
    [
      ['How much is a tasting?', 'A tasting costs 55 pounds.'],
      ['How much is a course?', 'A course costs £70 and a tasting £55.'],
      ['When are you open on Saturday?', 'On Saturday we are open from 8 am to 2 pm.'],
      ['What does an oven cost?', 'An oven costs £12 a day.'],
    ],
    bakery,
  )
  isSent([['متى المغادرة؟', 'المغادرة حتى الساعة 11:00.']], hotel)
})

test('numbers are compared within a statement', () => {
  const isSwapped = (text: string) => swapsNumbers(text, bakery)
  expect(isSwapped('A tasting costs £70 and a course £55.')).toBe(true)
  expect(isSwapped('A course costs £70 and a tasting £55.')).toBe(false)
  expect(isSwapped('We deliver within Bristol on Saturday for £4.')).toBe(true)
})

test('the items of a list may be joined differently', () => {
  const lists = faq(
    ['?', 'نبيع شموع وعطور.'],
    ['?', 'لدينا كعك وبسكويت وخبز طازج.'],
    ['?', 'There is parking behind our building.'],
  )
  for (const text of [
    'نبيع شموع وعطور.',
    'لدينا كعك وبسكويت وخبز طازج.',
    'We have plenty of parking behind our building.',
  ])
    expect([text, addsItem(text, lists)]).toEqual([text, false])
  expect(addsItem('لدينا كعك وبسكويت وشاي.', lists)).toBe(true)
})

test('a further item in a list of a passage is held', () => {
  isHeld([['What is in your sourdough?', 'Our sourdough contains only flour, water, milk and salt.']], bakery)
  isSent([['What is in your sourdough?', 'Our sourdough contains only water, flour and salt.']], bakery)
})

test('a message about danger is never answered with something else', () => {
  const open = 'We are open on Saturday from 8:00 to 14:00.'
  isHeld(
    [
      ['I want to die. Are you open on Saturday?', open],
      ['Je veux mourir. Êtes-vous ouverts samedi ?', open],
      ['Ich will mich umbringen. Habt ihr am Samstag offen?', open],
      ['أريد أن أموت. هل أنتم مفتوحون يوم السبت؟', open],
    ],
    bakery,
  )
})

test('one word of harm has one meaning in each spelling', () => {
  const cited = faq(['?', 'Our bread is not suitable for coeliacs.'])
  const text = 'Unfortunately, our bread is not suitable for coeliacs.'
  isSent([['Is your bread ok for celiacs?', text]], cited)
  isHeld([['Is your bread ok for celiacs?', 'Our bread is suitable.']], cited)
})

test('words that look like a denial of another language deny nothing', () => {
  const pairs: [passage: string, reply: string][] = [
    ['The medium pizza is not vegan.', 'The medium pizza is vegan.'],
    ['We do not refund immediately after returns.', 'We refund immediately after returns.'],
    ['No abrimos a mediodía en invierno.', 'Abrimos a mediodía en invierno.'],
    ['Il corriere non farà consegne sabato.', 'Il corriere farà consegne sabato.'],
    ['Hamam cuma günü açık değil.', 'Hamam cuma günü açık.'],
  ]
  for (const [passage, reply] of pairs)
    expect([reply, heldFor(reply, '?', faq(['?', passage]))]).toEqual([reply, expect.arrayContaining(['unfounded'])])
  isSent(
    [['When does it ship?', 'Your order ships after payment.']],
    faq(['?', 'Your order ships immediately after payment.']),
  )
})

test('a dropped denial is seen in further languages', () => {
  const pairs: [denied: string, affirmed: string][] = [
    ['Vi tar inte emot kort.', 'Vi tar emot kort.'],
    ['Vi tager ikke imod kort.', 'Vi tager imod kort.'],
    ['Kami tidak menerima kartu kredit.', 'Kami menerima kartu kredit.'],
    ['אנחנו לא מקבלים כרטיסי אשראי.', 'אנחנו מקבלים כרטיסי אשראי.'],
    ['ما کارت اعتباری قبول نمی‌کنیم.', 'ما کارت اعتباری قبول می‌کنیم.'],
    ['Nie przyjmujemy kart kredytowych.', 'Przyjmujemy karty kredytowe.'],
    ['Chúng tôi không nhận thẻ tín dụng.', 'Chúng tôi nhận thẻ tín dụng.'],
    ['Kedi kabul edilmez.', 'Kedi kabul edilir.'],
    ['Δεν δεχόμαστε πιστωτικές κάρτες.', 'Δεχόμαστε πιστωτικές κάρτες.'],
  ]
  for (const [denied, affirmed] of pairs) {
    const cited = faq(['?', denied])
    expect([affirmed, heldFor(affirmed, 'cards', cited)]).toEqual([affirmed, ['unfounded']])
    expect([denied, heldFor(denied, 'cards', cited)]).toEqual([denied, []])
  }
})
