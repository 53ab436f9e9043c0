import type { Thread } from '../../../../src/conversations/api.ts'
import type { LabelName, Where } from './content.ts'

/** A customer's messages, and the café's acts on them. */
export interface DemoThread {
  from: string
  says: string
  on: Extract<Where, 'page' | 'photo'>
  /** The post that is commented on, by its place in the past ones; a direct message without it. */
  post?: number
  /** How many minutes ago it was written. */
  ago: number
  answer?: string
  /** How many minutes ago it was answered in the network’s own app; without it, the owner answers now. */
  answered?: number
  note?: string
  label?: LabelName
  urgency?: Thread['urgency']
  assigned?: true
  end?: 'closed' | 'snoozed' | 'escalated'
}

/** A day of the café: in the languages of its guests. */
export const THREADS: DemoThread[] = [
  {
    from: 'Dana',
    ago: 6,
    on: 'page',
    post: 0,
    says: 'There was a piece of plastic in my sandwich this morning. Please call me.',
    urgency: 'CRITICAL',
    note: 'I have told the kitchen. The batch is put aside.',
    end: 'escalated',
  },
  {
    from: 'Oskar',
    ago: 52,
    on: 'photo',
    post: 3,
    says: 'My order still hasn’t arrived and the party is tomorrow. Can you check?',
    urgency: 'HIGH',
    label: 'Roastery',
  },
  {
    from: 'Lena',
    ago: 1560,
    answered: 1545,
    on: 'photo',
    post: 3,
    says: 'Is this one decaf as well?',
    answer: 'Hi Lena! Huila isn’t decaf, but our Swiss Water Decaf tastes just as fruity.',
  },
  {
    from: 'Lena',
    ago: 38,
    on: 'photo',
    says: 'Could you ship two bags to Vienna by Friday?',
    urgency: 'HIGH',
    assigned: true,
  },
  { from: 'نور', ago: 61, on: 'photo', post: 3, says: 'هل تشحنون إلى الأردن؟ أحتاج كيسين قبل يوم الخميس.' },
  {
    from: 'Tomás',
    ago: 252,
    on: 'page',
    post: 1,
    says: 'What’s your wholesale price for a small office?',
    label: 'Roastery',
  },
  { from: 'Kim', ago: 190, on: 'page', post: 4, says: 'Which grinder is that in the second picture?', assigned: true },
  { from: 'Priya', ago: 74, on: 'page', post: 5, says: 'Do you have Huila as capsules?' },
  {
    from: 'سلمى',
    ago: 25,
    on: 'page',
    post: 0,
    says: 'هل أنتم مفتوحون يوم الأحد؟',
    answer: 'نعم، من الثامنة صباحًا حتى الخامسة مساءً.',
  },
  { from: 'Sam', ago: 843, on: 'page', post: 6, says: 'Will you be at the Christmas market again?', urgency: 'LOW' },
  {
    from: 'Aiko',
    ago: 421,
    on: 'photo',
    post: 1,
    says: 'Is the cupping on Thursday for beginners too?',
    label: 'Classes',
    urgency: 'LOW',
  },
  {
    from: 'Jonas',
    ago: 305,
    on: 'photo',
    post: 4,
    says: 'Can I still change the grind of my subscription?',
    urgency: 'LOW',
  },
  {
    from: 'Jonas',
    ago: 281,
    on: 'photo',
    says: 'It should be for a French press from December on.',
    urgency: 'LOW',
    assigned: true,
  },
  {
    from: 'Marta',
    ago: 2890,
    answered: 2850,
    on: 'page',
    post: 1,
    says: 'Best cappuccino in town!',
    answer: 'Thank you, Marta. See you tomorrow!',
    end: 'closed',
  },
  { from: 'Youssef', ago: 180, on: 'page', post: 5, says: 'Do you take reservations for six people?', end: 'snoozed' },
  {
    from: 'Elif',
    ago: 1310,
    answered: 1298,
    on: 'photo',
    post: 6,
    says: 'Is the pumpkin latte vegan?',
    answer: 'It is, with oat milk.',
    label: 'Autumn',
  },
  {
    from: 'Greta',
    ago: 4340,
    answered: 4290,
    on: 'photo',
    post: 6,
    says: 'I guess Monday!',
    answer: 'Close, but a little later.',
    label: 'Autumn',
    end: 'closed',
  },
  { from: 'Ben', ago: 149, on: 'page', post: 3, says: 'Is the tasting class next Saturday full?', label: 'Classes' },
  {
    from: 'Clara',
    ago: 5830,
    answered: 5801,
    on: 'page',
    post: 0,
    says: 'Are dogs allowed inside?',
    answer: 'They are, and there is water by the door.',
    end: 'closed',
  },
  {
    from: 'Marta',
    ago: 95,
    on: 'page',
    says: 'I left a green scarf at the window table. Did you find it?',
    note: 'It is behind the bar.',
  },
]
