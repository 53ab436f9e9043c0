import { expect, test } from 'vitest'
import { holds, moreUrgent } from './rules.ts'

const none = { keywords: [], intents: [], urgency: null, sentiment: null }
const said = (text: string) => ({ text, urgency: 'MEDIUM' as const, sentiment: null, intents: [] })

test('a rule applies if all of its conditions hold', () => {
  const rule = { ...none, keywords: ['refund', 'lawyer'], urgency: 'HIGH' as const }
  expect(holds(rule, said('I want a REFUND!'))).toBe(false)
  expect(holds(rule, { ...said('I want a REFUND!'), urgency: 'CRITICAL' })).toBe(true)
  expect(holds(rule, { ...said('Thank you'), urgency: 'CRITICAL' })).toBe(false)
})

test('keywords match whatever their case and form, but not inside other words', () => {
  const rule = { ...none, keywords: ['scam', 'محام'] }
  expect(['SCAM', 'sсam', 'this is a scam.', 'سأتصل بالمحام'].map((text) => holds(rule, said(text)))).toEqual(
    Array(4).fill(true),
  )
  expect(holds(rule, said('scampi with rice'))).toBe(false)
})

test('an unclassified message meets no condition on intent or sentiment', () => {
  expect(holds({ ...none, intents: ['complaint'] }, said('x'))).toBe(false)
  expect(holds({ ...none, sentiment: 'negative' }, said('x'))).toBe(false)
  expect(holds({ ...none, intents: ['complaint'] }, { ...said('x'), intents: ['complaint'] })).toBe(true)
})

test('a rule without a condition never applies', () => {
  expect(holds(none, said('x'))).toBe(false)
})

test('the more urgent of two', () => {
  expect([moreUrgent('LOW', 'HIGH'), moreUrgent('CRITICAL', 'HIGH')]).toEqual(['HIGH', 'CRITICAL'])
})
