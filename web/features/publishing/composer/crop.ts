import type { Area } from '../../../../src/networks/rules.ts'

// Areas of a picture, in its own pixels.

export interface Size {
  width: number
  height: number
}

/** Width to height; null allows any. */
export type Ratio = readonly [number, number] | null

/** Smaller areas would be too small to see or to drag. */
const SMALLEST = 16

const within = (value: number, min: number, max: number) =>
  Math.round(Math.min(Math.max(value, min), Math.max(min, max)))

/** A size of a ratio that fits and is about `width` wide. Exact if the ratio consists of integers. */
function sized(width: number, [a, b]: NonNullable<Ratio>, most: Size): Size {
  const wanted = Math.min(Math.max(width, Math.min(SMALLEST, most.width)), most.width, (most.height * a) / b)
  const times = Math.floor(wanted / a)
  if (Number.isInteger(a) && times > 0) return { width: times * a, height: times * b }
  const whole = Math.max(1, Math.floor(wanted))
  return { width: whole, height: Math.min(most.height, Math.max(1, Math.ceil((whole * b) / a))) }
}

/** The greatest width of a ratio that fits in a picture. */
export const widest = (picture: Size, ratio: Ratio) => (ratio ? sized(Infinity, ratio, picture).width : picture.width)

/** Moves an area by pixels, within the picture. */
export const moved = (area: Area, by: { x: number; y: number }, picture: Size): Area => ({
  ...area,
  x: within(area.x + by.x, 0, picture.width - area.width),
  y: within(area.y + by.y, 0, picture.height - area.height),
})

/** Resizes an area around its centre. */
export function resized(area: Area, to: Partial<Size>, picture: Size, ratio: Ratio): Area {
  const size = ratio
    ? sized(to.width ?? area.width, ratio, picture)
    : {
        width: within(to.width ?? area.width, Math.min(SMALLEST, picture.width), picture.width),
        height: within(to.height ?? area.height, Math.min(SMALLEST, picture.height), picture.height),
      }
  const corner = { x: area.x + (area.width - size.width) / 2, y: area.y + (area.height - size.height) / 2 }
  return moved({ ...corner, ...size }, { x: 0, y: 0 }, picture)
}

/** Drags one corner of an area to a point. The opposite corner stays. */
export function drawn(
  area: Area,
  corner: { x: 0 | 1; y: 0 | 1 },
  to: { x: number; y: number },
  picture: Size,
  ratio: Ratio,
) {
  const fixed = { x: area.x + (1 - corner.x) * area.width, y: area.y + (1 - corner.y) * area.height }
  const most = {
    width: corner.x ? picture.width - fixed.x : fixed.x,
    height: corner.y ? picture.height - fixed.y : fixed.y,
  }
  const width = corner.x ? to.x - fixed.x : fixed.x - to.x
  const height = corner.y ? to.y - fixed.y : fixed.y - to.y
  const size = ratio
    ? sized(Math.max(width, (height * ratio[0]) / ratio[1]), ratio, most)
    : {
        width: within(width, Math.min(SMALLEST, most.width), most.width),
        height: within(height, Math.min(SMALLEST, most.height), most.height),
      }
  return { x: corner.x ? fixed.x : fixed.x - size.width, y: corner.y ? fixed.y : fixed.y - size.height, ...size }
}
