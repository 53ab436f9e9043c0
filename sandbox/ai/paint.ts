import { numberOf } from './writer.ts'

/** Letters of five by five dots, so that no font is needed. */
const LETTERS: Record<string, string> = {
  S: '01111 10000 01110 00001 11110',
  A: '01110 10001 11111 10001 10001',
  N: '10001 11001 10101 10011 10001',
  D: '11110 10001 10001 10001 11110',
  B: '11110 10001 11110 10001 11110',
  O: '01110 10001 10001 10001 01110',
  X: '10001 01010 00100 01010 10001',
}

type Colour = readonly [number, number, number]

/**
 * Paints a picture for a prompt: colours and discs derived from its words, marked as a stand-in's. It sets pixels
 * directly, since the product does not allow sharp to read SVG.
 */
export async function paint(
  prompt: string,
  width: number,
  height: number,
  format: 'jpeg' | 'png' | 'webp',
): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const seed = numberOf(prompt)
  const part = (turn: number) => (numberOf(`${seed} ${turn}`) % 1000) / 1000
  const colour = (turn: number): Colour => [40 + 200 * part(turn), 40 + 200 * part(turn + 1), 40 + 200 * part(turn + 2)]
  const [from, to] = [colour(1), colour(4)]
  const discs = Array.from({ length: 6 }, (_, at) => ({
    x: part(20 + at) * width,
    y: part(30 + at) * height,
    size: (60 + part(40 + at) * (Math.min(width, height) / 4)) ** 2,
    colour: colour(50 + 3 * at),
  }))
  const dot = Math.floor(width / 56)
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    const inMark = y >= height - dot * 11 && y < height - dot * 2
    for (let x = 0; x < width; x += 1) {
      const along = (x / width + y / height) / 2
      const over = discs.filter((disc) => (x - disc.x) ** 2 + (y - disc.y) ** 2 < disc.size)
      const isLetter = inMark && isInk(Math.floor((x - dot * 6) / dot), Math.floor((y - (height - dot * 9)) / dot))
      for (let channel = 0; channel < 3; channel += 1) {
        let value = (from[channel] ?? 0) * (1 - along) + (to[channel] ?? 0) * along
        for (const disc of over) value = (value + (disc.colour[channel] ?? 0)) / 2
        pixels[(y * width + x) * 3 + channel] = isLetter ? 255 : inMark ? value / 3 : value
      }
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer()
}

/** Whether the mark covers this place, counted in dots. */
function isInk(x: number, y: number): boolean {
  const letter = 'SANDBOX'[Math.floor(x / 6)]
  return x >= 0 && letter !== undefined && LETTERS[letter]?.split(' ')[y]?.[x % 6] === '1'
}
