import { expect, test } from 'vitest'
import { beginning } from './beginning.ts'

test.each([
  ['Short', 20, 'Short'],
  ['  On two\n\n lines ', 20, 'On two lines'],
  ['Ends with the last word', 23, 'Ends with the last word'],
  ['Fresh beans from Guji are here', 20, 'Fresh beans from…'],
  ['Fresh beans, from Guji', 13, 'Fresh beans…'],
  ['Fresh beans from Guji', 12, 'Fresh beans…'],
  ['قهوة غوجي وصلت اليوم، وهي طازجة', 23, 'قهوة غوجي وصلت اليوم…'],
  ['https://example.com/a-long-address', 12, 'https://exa…'],
  ['👩‍🍳👩‍🍳👩‍🍳', 4, '👩‍🍳…'],
])('%j in %d letters becomes %j', (text, most, expected) => {
  expect(beginning(text, most)).toBe(expected)
  expect(Array.from(beginning(text, most)).length).toBeLessThanOrEqual(most)
})
