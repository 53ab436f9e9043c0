import { expect, test } from 'vitest'
import { fillReply, firstName, unknownPlaceholders } from './rules.ts'

const values = { customer: 'Mia Keller', first_name: 'Mia', account: 'Corner Shop', me: 'Ann' }

test('placeholders are filled, however they are spaced', () => {
  expect(fillReply('Hi {{first_name}}, {{ customer }}! {{me}} of {{account}}', values)).toBe(
    'Hi Mia, Mia Keller! Ann of Corner Shop',
  )
})

test('a value that is not known gives what stands behind the bar, or nothing', () => {
  const unknown = { ...values, customer: '', first_name: ' ' }
  expect(fillReply('Hi {{first_name|there}}.{{customer}}', unknown)).toBe('Hi there.')
})

test('a name with braces is put in as it is', () => {
  expect(fillReply('{{customer}}', { ...values, customer: '$& {{me}}' })).toBe('$& {{me}}')
})

test('what stands for nothing is told once', () => {
  expect(unknownPlaceholders('{{me}} {{order}} {{ order }} {{price|1}} {single}')).toEqual(['order', 'price'])
})

test('the first name is the first word, in any script', () => {
  expect(firstName('  ليلى حداد ')).toBe('ليلى')
  expect(firstName('')).toBe('')
})
