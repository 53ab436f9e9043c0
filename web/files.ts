/** The address of one of our files for this page: our own ones by their path, whatever name the service is reached by. */
export function fileUrl(url: string | null | undefined): string | undefined {
  if (!url) return undefined
  const { pathname, search } = new URL(url, location.href)
  return pathname.startsWith('/files/') ? pathname + search : url
}
