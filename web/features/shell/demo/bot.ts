import '../../conversations/bot/endpoints.ts'
import type { CallOptions } from '../../../client.ts'
import type { Where } from './content.ts'

/** How the bot of the café is set: it answers what the café has written down, and leaves the rest to people. */
export const BOT: NonNullable<CallOptions<'updateBotConfig'>['body']> = {
  isEnabled: true,
  maxConfidenceForAuto: 0.7,
  blockedTopics: ['Politics'],
  escalateKeywords: ['allergic', 'poisoned', 'lawyer', 'glass'],
  handoffText: 'Thanks for telling us. A colleague will answer you personally.',
  faqEntries: [
    {
      question: 'When are you open?',
      answer: 'We’re open every day from 8:00 to 18:00, on Sunday until 16:00.',
      tags: ['Visit'],
    },
    { question: 'Do you have oat milk?', answer: 'Yes, every drink comes with oat milk if you like.', tags: ['Menu'] },
    {
      question: 'Can I bring my dog?',
      answer: 'Of course, dogs are welcome inside and on the terrace.',
      tags: ['Visit'],
    },
    {
      question: 'Do you grind the beans?',
      answer: 'Yes, we grind the beans for your brewer. Just tell us which one you use.',
      tags: ['Roastery'],
    },
    {
      question: 'Where can I park?',
      answer: 'There’s parking behind the roastery, five minutes on foot.',
      tags: ['Visit'],
    },
    { question: 'هل لديكم حليب الشوفان؟', answer: 'نعم، نقدّم كل مشروب مع حليب الشوفان لمن يرغب.', tags: ['Menu'] },
    { question: 'متى تفتحون؟', answer: 'نفتح كل يوم من 8:00 إلى 18:00.', tags: ['Visit'] },
  ],
  knowledgeBase: {
    Roastery: { Tours: 'Every first Saturday there is a tour of the roastery. It takes an hour.' },
    Vouchers: 'Vouchers are sold at the counter. They do not expire.',
  },
}

/** What customers ask once the bot is on: it answers some, holds one, and hands over the rest. */
export const ASKED: readonly { from: string; on: Extract<Where, 'page' | 'photo'>; says: string }[] = [
  { from: 'Sofia', on: 'page', says: 'When are you open on Sunday?' },
  { from: 'يوسف', on: 'photo', says: 'هل لديكم حليب الشوفان؟' },
  { from: 'Ben', on: 'page', says: 'Can I bring my dog to the terrace?' },
  { from: 'Mara', on: 'photo', says: 'Do you have oat milk and gluten-free croissants?' },
  { from: 'Theo', on: 'page', says: 'I’m allergic to sesame. Is it in the granola?' },
]
