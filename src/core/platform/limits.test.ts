import { expect, test } from 'vitest'
import { networkOf, providerBlockOf } from './limits.ts'

test('a /64 of IPv6 counts as one network address, however it is written', () => {
  const same = ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::9', '2001:db8:1:2::', '2001:DB8:1:2:ffff::1']
  expect(new Set(same.map((ip) => networkOf(ip)))).toEqual(new Set(['2001:db8:1:2']))
  expect(networkOf('2001:db8:1:3::9')).not.toBe(networkOf('2001:db8:1:2::9'))
  expect(networkOf('::1')).toBe(networkOf('::2'))
})

test('the block of a provider is a /48 of IPv6 or a /24 of IPv4', () => {
  expect(new Set(['2001:db8:1:2::9', '2001:db8:1:ffff::1'].map(providerBlockOf))).toEqual(new Set(['2001:db8:1']))
  expect(new Set(['192.0.2.7', '192.0.2.200', '::ffff:192.0.2.9'].map(providerBlockOf))).toEqual(new Set(['192.0.2']))
  expect(providerBlockOf('192.0.3.7')).not.toBe(providerBlockOf('192.0.2.7'))
})

test('an IPv4 address counts alone, also within IPv6', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(networkOf('192.0.2.8')).not.toBe(networkOf('192.0.2.7'))
})
