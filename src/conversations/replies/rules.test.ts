import { expect, test } from 'vitest'
import { fillReply, firstName, unknownPlaceholders } from './rules.ts'

const values = { customer: 'Mia Keller', first_name: 'Mia', account: 'Corner Shop', me: 'Ann' }

test('placeholders are filled, however they are spaced', () => {
  expect(fillReply('Hi {{first_name}}, {{ customer }}! {{me}} of {{account}}', values)).toBe(
    'Hi Mia, Mia Keller! Ann of Corner Shop',
  )
})

test('a missing value gives the text after the bar, or nothing', () => {
  const unknown = { ...values, customer: '', first_name: ' ' }
  expect(fillReply('Hi {{first_name|there}}.{{customer}}', unknown)).toBe('Hi there.')
})

test('a name that contains braces is inserted unchanged', () => {
  expect(fillReply('{{customer}}', { ...values, customer: '$& {{me}}' })).toBe('$& {{me}}')
})

test('an unknown placeholder is reported once', () => {
  expect(unknownPlaceholders('{{me}} {{order}} {{ order }} {{price|1}} {single}')).toEqual(['order', 'price'])
})

test('the first name is the first word, in any script', () => {
  expect(firstName('  ليلى حداد ')).toBe('ليلى')
  expect(firstName('')).toBe('')
})
