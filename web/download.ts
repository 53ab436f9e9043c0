import { useMutation } from '@tanstack/react-query'
import { address, authorizedFetch, type Operation, problemOf } from './client.ts'
import { useProblemText } from './problem.ts'
import { toast } from './toast.ts'

/** Saves a file as a browser download. */
export function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Saves an operation's response as a file, or shows why the request failed. */
export function useDownload(ws: string, operation: Operation, query: object, name: string) {
  const text = useProblemText()
  return useMutation({
    mutationFn: async () => {
      const response = await authorizedFetch(address(operation, {}, query), { headers: { 'x-workspace-id': ws } })
      if (!response.ok) throw problemOf(response.status, await response.text())
      return response.blob()
    },
    onSuccess: (file) => saveAs(file, name),
    onError: (error) => toast.error(text(error)),
  })
}
