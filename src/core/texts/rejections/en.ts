import type { CodeOf } from '../fill.ts'

/** Why a file cannot be used. A key with a slash is a variant of its code; only English has a text of its own for it. */
export const en = {
  unreadable: 'It is damaged, or not a picture.',
  'unreadable/video': 'It is damaged, or not a video.',
  'unreadable/decoded': 'It is damaged: it cannot be decoded.',
  'unreadable/broke_off': 'It cannot be decoded: two tries failed.',
  'unreadable/more_inside':
    'It contains more than pictures and sound, and the rest cannot be removed: export it as a plain MP4.',
  truncated: 'It is cut off: its end is missing.',
  'truncated/index': 'It is cut off: its index is missing.',
  too_many_pixels: 'It has {megapixels} megapixels; at most {most} are accepted.',
  'too_many_pixels/interlaced':
    'It has {megapixels} megapixels; at most {most} are accepted for an interlaced PNG of this depth.',
  'too_many_pixels/turned':
    'It has {megapixels} megapixels; at most {most} are accepted for a picture that its metadata rotates: save it upright.',
  too_many_parts: 'It has more than {most} {parts}: export it again, simpler or shorter.',
  'too_many_parts/scans': 'It has {scans} scans, too many for its size: export it again.',
  no_pictures: 'It has no moving pictures.',
  'no_pictures/no_time': 'It has no moving pictures: its length is zero.',
  unknown_codec: 'Its video codec is unknown: export it as H.264 or H.265.',
  too_slow: 'It takes too long to read: export it again, simpler or smaller.',
  too_much_memory: 'It takes too much memory to read: export it again, simpler or smaller.',
  crop_impossible: 'The chosen crop is not possible: crop it again.',
  deleted: 'It was deleted.',
}

export type RejectionKey = keyof typeof en
export type RejectionCode = CodeOf<RejectionKey>
