import type { CodeOf } from '../fill.ts'

/** Why a file cannot be used. A key with a slash is a variant of its code; only English has a text of its own for it. */
export const en = {
  unreadable: 'The file is damaged or isn’t a picture.',
  'unreadable/video': 'The file is damaged or isn’t a video.',
  'unreadable/decoded': 'The file is damaged and can’t be read.',
  'unreadable/broke_off': 'The file couldn’t be read, even on a second try.',
  'unreadable/more_inside': 'The file has tracks other than video and audio. Export it as a standard MP4.',
  truncated: 'The file is incomplete: its end is missing.',
  'truncated/index': 'The file is incomplete: its index is missing.',
  too_many_pixels: 'This picture is {megapixels} megapixels, but the limit is {most}.',
  'too_many_pixels/interlaced':
    'This picture is {megapixels} megapixels, but the limit for an interlaced PNG with this color depth is {most}.',
  'too_many_pixels/turned':
    'This picture is {megapixels} megapixels, but the limit for pictures rotated by metadata is {most}. Rotate it in a photo editor and save it again.',
  too_many_parts: 'The file is too complex to process. Export a simpler or shorter version.',
  'too_many_parts/scans':
    'This JPEG was saved in an unusual way ({scans} scans). Export it again with standard settings.',
  no_pictures: 'The file has no video track.',
  'no_pictures/no_time': 'The video is 0 seconds long.',
  unknown_codec: 'The video’s encoding isn’t supported. Export it as H.264 or H.265.',
  too_slow: 'The file takes too long to read. Export a simpler or smaller version.',
  too_much_memory: 'The file takes too much memory to read. Export a simpler or smaller version.',
  crop_impossible: 'This crop isn’t possible. Crop the picture again.',
  deleted: 'The file was deleted.',
}

export type RejectionKey = keyof typeof en
export type RejectionCode = CodeOf<RejectionKey>
