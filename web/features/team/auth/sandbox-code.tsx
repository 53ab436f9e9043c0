import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import type { CodeTo } from './code-to.ts'

interface Props {
  /** The address of the sandbox's console. */
  sandbox: string
  to: CodeTo
}

/** Shows the code that the sandbox received, or says where to find it. */
export function SandboxCode({ sandbox, to }: Props) {
  const t = useTranslations('codes')
  const { data: code } = useQuery({
    queryKey: ['sandbox-code', to],
    queryFn: ({ signal }) => lastCode(sandbox, to, signal),
    refetchInterval: ({ state }) => (state.error ? false : 2_000),
    retry: false,
  })
  return code
    ? t.rich('sandboxCode', {
        code: () => (
          <bdi dir="ltr" className="font-medium text-fg tabular-nums">
            {code}
          </bdi>
        ),
      })
    : t.rich('sandbox', {
        link: (chunks) => (
          <a href={sandbox} target="_blank" rel="noreferrer" className="underline">
            {chunks}
          </a>
        ),
      })
}

/** The code of the latest message to an address, or null. */
async function lastCode(sandbox: string, { email, phone }: CodeTo, signal: AbortSignal): Promise<string | null> {
  const list = email === undefined ? 'sms' : 'mail'
  const to = email?.trim().toLowerCase() ?? phone?.replaceAll(/[^+\d]/g, '') ?? ''
  // Use the path only: the page may have been opened under another host name of the same machine.
  const { pathname } = new URL(`${sandbox}/${list}`, location.href)
  const response = await fetch(`${pathname}?${new URLSearchParams({ to })}`, { signal })
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}`)
  const { data } = (await response.json()) as { data: { subject?: string; text: string }[] }
  const codes = data.flatMap(({ subject, text }) => /(?<!\d)\d{6}(?!\d)/.exec(subject ?? text)?.[0] ?? [])
  return codes[0] ?? null
}
