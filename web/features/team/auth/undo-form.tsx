import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { call, isProblem } from '../../../client.ts'
import { useProblemText } from '../../../problem.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormError } from '../../../ui/field.tsx'
import { AuthFrame } from './frame.tsx'
import { Notice } from './notice.tsx'
import { useEnter } from './use-auth.ts'

/** Undoes a change to the account's sign-in methods, then asks for a new password. */
export function UndoForm({ token }: { token: string }) {
  const t = useTranslations('auth')
  const text = useProblemText()
  const undo = useMutation({ mutationFn: () => call('undoChange', { body: { token } }) })
  const enter = useEnter('/me')
  if (undo.data)
    return (
      <AuthFrame title={t('undoDone')} lead={t('undoElsewhereLead')}>
        <Notice icon="done">
          <p>{t('undoElsewhereBody')}</p>
        </Notice>
        <Button variant="primary" onClick={() => void enter(undo.data!)} className="min-h-10">
          {t('undoElsewhereGo')}
        </Button>
      </AuthFrame>
    )
  if (undo.isSuccess)
    return (
      <AuthFrame title={t('undoDone')} lead={t('undoDoneLead')}>
        <Notice icon="done">
          <p>{t('undoDoneBody')}</p>
        </Notice>
        <Link to="/forgot" className={buttonClass('primary', 'md', 'min-h-10')}>
          {t('forgotTitle')}
        </Link>
      </AuthFrame>
    )
  if (isProblem(undo.error, 'link_expired'))
    return (
      <AuthFrame title={t('linkExpired')} lead={t('undoExpiredLead')}>
        <Link to="/forgot" className={buttonClass('primary', 'md', 'min-h-10')}>
          {t('forgotTitle')}
        </Link>
      </AuthFrame>
    )
  return (
    <AuthFrame title={t('undoTitle')} lead={t('undoLead')}>
      {undo.error && <FormError>{text(undo.error)}</FormError>}
      <Button variant="primary" busy={undo.isPending} onClick={() => undo.mutate()} className="min-h-10">
        {t('undoSubmit')}
      </Button>
    </AuthFrame>
  )
}
