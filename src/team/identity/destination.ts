import { invalid } from '../../core/errors.ts'

/** The destination of a code: an address, or a number in E.164. */
export interface Destination {
  kind: 'email' | 'phone'
  address: string
}

/** The address or number in a body. Throws the fault. */
export async function destinationOf({
  email,
  phone,
}: {
  email?: string | undefined
  phone?: string | undefined
}): Promise<Destination> {
  if (email !== undefined && phone !== undefined) {
    throw invalid({
      path: '/phone',
      code: 'one_of',
      message: 'Enter either an email address or a phone number, not both.',
    })
  }
  if (email !== undefined) return { kind: 'email', address: email }
  if (phone === undefined) {
    throw invalid({ path: '/email', code: 'required', message: 'Enter an email address or a phone number.' })
  }
  return { kind: 'phone', address: (await phoneOf(phone)).number }
}

/** A number in E.164 that receives texts at the usual price, with its country. Throws the fault of any other number. */
export async function phoneOf(text: string): Promise<{ number: string; country: string }> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max')
  const parsed = parsePhoneNumberFromString(text, { extract: false })
  if (!parsed?.isValid()) {
    throw invalid({
      path: '/phone',
      code: 'invalid_phone',
      message: 'Enter the number with its country code, such as +1 202 555 0142.',
    })
  }
  const { number, country } = parsed
  const type = parsed.getType()
  // Satellites and international services have no country.
  if (!country || (type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE')) {
    throw invalid({
      path: '/phone',
      code: 'not_mobile',
      message: 'Text messages only reach mobile phones. Enter a mobile number.',
    })
  }
  return { number, country }
}
