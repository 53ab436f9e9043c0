import { useTranslations } from 'use-intl'

const RULE_TONES = ['promotional', 'curious', 'enthusiastic', 'plain'] as const

/** Tags in words: what rules found has names of its own, everything else is as the model or a person wrote it. */
export function useTagWords(): { topic: (topic: string) => string; tone: (tone: string) => string } {
  const t = useTranslations('ai')
  return {
    topic: (topic) => (topic === 'other' ? t('otherTopic') : topic),
    tone: (tone) => {
      const known = RULE_TONES.find((one) => one === tone)
      return known ? t(`ruleTones.${known}`) : tone
    },
  }
}
