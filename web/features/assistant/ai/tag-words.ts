import { useTranslations } from 'use-intl'

const RULE_TONES = ['promotional', 'curious', 'enthusiastic', 'plain'] as const

/** Displays tags. Tags that rules assigned are translated; tags of the model or of people stay as written. */
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
