import { useTranslations } from 'use-intl'
import { toast } from '../../toast.ts'
import { CodeStep, type useSendCode } from '../team/auth/code-step.tsx'
import { useConfirm } from '../team/profile/use-confirm.ts'

interface Props {
  email: string
  sending: ReturnType<typeof useSendCode>
}

/** Takes the code sent to an email address. */
export default function ConfirmForm({ email, sending }: Props) {
  const t = useTranslations('codes')
  const confirm = useConfirm(() => toast.success(t('emailConfirmed')))
  return (
    <div className="max-w-md py-3">
      <CodeStep to={{ email }} sending={sending} submit={confirm({ email })} label={t('confirm')} />
    </div>
  )
}
