/** The length of a video: 0:07, 12:30, 1:02:03. */
export function playTime(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const end = String(rest).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`
}

/**
 * The URL of one of our files. Files on our own origin become a path, so that they load under any host name of the
 * service.
 */
export function fileUrl(url: string | null | undefined): string | undefined {
  if (!url) return undefined
  const { pathname, search } = new URL(url, location.href)
  return pathname.startsWith('/files/') ? pathname + search : url
}
