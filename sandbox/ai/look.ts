/** The colours that the stand-in distinguishes, in the order of their names in the phrases. */
const COLOURS = [
  [20, 20, 20],
  [245, 245, 245],
  [128, 128, 128],
  [210, 45, 45],
  [240, 140, 40],
  [240, 215, 70],
  [60, 160, 75],
  [50, 115, 220],
  [135, 75, 190],
  [120, 80, 50],
] as const

/** The properties of a picture that the stand-in perceives. */
export type Seen = { type: string; width: number; height: number; shape: 'wide' | 'tall' | 'square'; colour: number }

/** Examines a picture; undefined if it cannot be decoded. */
export async function look(type: string, base64: string): Promise<Seen | undefined> {
  const { default: sharp } = await import('sharp')
  try {
    const bytes = Buffer.from(base64, 'base64')
    const { width, height } = await sharp(bytes).metadata()
    const pixel = await sharp(bytes).resize(1, 1).removeAlpha().toColourspace('srgb').raw().toBuffer()
    const far = COLOURS.map((colour) => colour.reduce((sum, part, at) => sum + (part - (pixel[at] ?? 0)) ** 2, 0))
    const shape = width > height * 1.1 ? 'wide' : height > width * 1.1 ? 'tall' : 'square'
    return { type, width, height, shape, colour: far.indexOf(Math.min(...far)) }
  } catch {
    return undefined
  }
}
