import type { CodeOf } from '../fill.ts'

/** Why a file cannot be used. A key with a slash is a variant of its code that only English tells apart. */
export const en = {
  unreadable: 'It is damaged, or no picture.',
  'unreadable/video': 'It is damaged, or no video.',
  'unreadable/decoded': 'It is damaged: it cannot be decoded.',
  'unreadable/broke_off': 'It cannot be decoded: two tries broke off.',
  'unreadable/more_inside':
    'It carries more than pictures and sound, which cannot be taken out: export it as a plain MP4.',
  truncated: 'It is cut off: its end is missing.',
  'truncated/index': 'It is cut off: the part that tells how to play it is missing.',
  too_many_pixels: 'It has {megapixels} megapixels; at most {most} are accepted.',
  'too_many_pixels/interlaced':
    'It has {megapixels} megapixels; at most {most} are accepted of an interlaced PNG of this depth.',
  'too_many_pixels/turned':
    'It has {megapixels} megapixels; at most {most} are accepted of a picture that its metadata turn: save it upright.',
  too_many_parts: 'It has more than {most} {parts}: export it again, simpler or shorter.',
  'too_many_parts/scans': 'It has {scans} scans, too many for its size: export it again.',
  no_pictures: 'It has no moving pictures.',
  'no_pictures/no_time': 'It has no moving pictures: it lasts no time.',
  unknown_codec: 'Its pictures are coded in an unknown way: export it as H.264 or H.265.',
  too_slow: 'It takes too long to read: export it again, simpler or smaller.',
  too_much_memory: 'It takes too much memory to read: export it again, simpler or smaller.',
  crop_impossible: 'What was chosen of it cannot be cut out: crop it anew.',
  deleted: 'It was deleted.',
}

export type RejectionKey = keyof typeof en
export type RejectionCode = CodeOf<RejectionKey>
