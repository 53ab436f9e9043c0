import type { Platform } from '../../../../src/networks/api.ts'
import type { CallOptions } from '../../../client.ts'

// Northside Coffee, an invented café with a small roastery. Days count from today; times are of the workspace.

export const BUSINESS = 'Northside Coffee'
export const NICHE = 'Neighbourhood coffee bar with a small roastery and weekend classes'
export const GOALS = ['Bring more people into the café', 'Sell coffee subscriptions', 'Fill the weekend classes']

export const FILES = {
  'autumn.jpg': 'A green cup of coffee between falling autumn leaves',
  'beans.jpg': 'Roasted coffee beans, seen from above',
  'counter.jpg': 'Three steaming cups on a wooden counter: orange, yellow and green',
  'pour.mp4': 'Steam rising from a green cup',
  'roast.mp4': 'An orange cup in front of the roaster',
} as const
export type FileName = keyof typeof FILES

type Post = NonNullable<CallOptions<'createPost'>['body']>
type Wanted = Pick<Post, 'caption' | 'hashtags'> & {
  /** The text for one network alone. */
  captions?: Partial<Record<Where, string>>
  media?: FileName[]
  labels?: readonly LabelName[]
  on: readonly Where[]
}
/** The labels that group them. */
export const LABELS = { Autumn: 'orange', Roastery: 'purple', Classes: 'teal', 'Behind the bar': 'blue' } as const
export type LabelName = keyof typeof LABELS

export type Where = 'page' | 'roastery' | 'photo' | 'video'
type Timed = Wanted & { day: number; at: string }

const everywhere = ['page', 'photo', 'video'] as const
const both = ['page', 'photo'] as const

/** The posts of the weeks before. */
export const PAST: Timed[] = [
  {
    day: -27,
    at: '17:30',
    on: ['page'],
    caption: 'Our autumn hours start next week: 7 am to 6 pm on weekdays, 8 am to 5 pm at the weekend.',
  },
  {
    day: -24,
    at: '09:00',
    on: both,
    media: ['counter.jpg'],
    caption: 'Flat white, cortado, cappuccino. Which one gets you through the morning?',
    hashtags: ['#northsidecoffee', '#coffeebreak'],
  },
  {
    day: -20,
    at: '12:15',
    on: ['roastery'],
    labels: ['Roastery'],
    caption:
      'We roasted forty kilos this week, and the whole street smells of caramel. The bags are on the shelf from noon.',
  },
  {
    day: -17,
    at: '18:00',
    on: both,
    labels: ['Roastery'],
    media: ['beans.jpg'],
    caption:
      'The last bags of our natural from Huila: strawberry, cocoa and a long finish. When they’re gone, they’re gone.',
    hashtags: ['#freshlyroasted', '#northsidecoffee'],
  },
  {
    day: -13,
    at: '08:30',
    on: everywhere,
    labels: ['Behind the bar'],
    media: ['pour.mp4'],
    caption: 'Ten quiet seconds before the doors open.',
    hashtags: ['#northsidecoffee'],
  },
  {
    day: -10,
    at: '16:00',
    on: ['page'],
    labels: ['Classes'],
    caption:
      'Latte art for beginners, in three days at 10 am. Six people, two hours, far too much milk. Two places left.',
  },
  {
    day: -8,
    at: '09:00',
    on: both,
    labels: ['Autumn'],
    media: ['autumn.jpg'],
    caption: 'It is jumper weather, and the pumpkin latte is nearly ready. Can you guess which day it comes back?',
    hashtags: ['#autumn', '#coffee'],
  },
  {
    day: -6,
    at: '12:00',
    on: ['photo'],
    labels: ['Classes'],
    media: ['counter.jpg'],
    caption: 'Thank you to everyone who came to the latte art class. Your hearts look less like apples already.',
    hashtags: ['#latteart'],
  },
  {
    day: -3,
    at: '17:00',
    on: ['page', 'roastery'],
    caption: 'Grind a little finer in cold weather. Your moka pot will thank you.',
  },
]

/** Published while the demo is made: the second is refused by the video network, as it is longer than the account may post. */
export const NOW: Wanted[] = [
  {
    on: both,
    labels: ['Autumn'],
    media: ['autumn.jpg'],
    caption:
      'Autumn in a cup. 🍂 Our pumpkin latte is back: espresso, steamed milk and a spice mix we grind ourselves. Here until the end of the season.',
    captions: { photo: 'Autumn in a cup. 🍂 The pumpkin latte is back.' },
    hashtags: ['#autumn', '#coffee'],
  },
  {
    on: everywhere,
    labels: ['Roastery', 'Behind the bar'],
    media: ['roast.mp4'],
    caption: 'From green to brown in just over a minute, sped up a little: this is how we roast.',
  },
]

export const SCHEDULED: Timed[] = [
  {
    day: 1,
    at: '09:00',
    on: everywhere,
    labels: ['Behind the bar'],
    media: ['pour.mp4'],
    caption: 'How we pour. Slowly, from high up, and with a good playlist.',
    captions: { photo: 'How we pour ☕️ Sound on.' },
  },
  {
    day: 2,
    at: '18:30',
    on: both,
    labels: ['Roastery'],
    media: ['beans.jpg', 'counter.jpg'],
    caption: 'New on the shelf: a washed Ethiopian with notes of peach and jasmine. Come in and smell it.',
    hashtags: ['#freshlyroasted', '#northsidecoffee'],
  },
  {
    day: 4,
    at: '08:15',
    on: ['page'],
    caption: 'From tomorrow and all week long, the first ten guests of the day get a croissant on the house.',
  },
  {
    day: 6,
    at: '12:00',
    on: both,
    labels: ['Behind the bar'],
    media: ['counter.jpg'],
    caption: 'Three baristas, three cups, one question: which one is yours?',
  },
  {
    day: 11,
    at: '17:00',
    on: ['roastery'],
    labels: ['Roastery'],
    caption:
      'You can now get our subscription every two weeks: two bags, roasted the day before, through your letterbox.',
  },
]

/** Written by the editor, and waiting for somebody's approval. */
export const IN_REVIEW: (Timed & { client: boolean; comment?: string })[] = [
  {
    day: 3,
    at: '16:30',
    client: false,
    on: both,
    labels: ['Autumn'],
    media: ['autumn.jpg'],
    caption: 'Tomorrow is cinnamon bun day. They come out of the oven at 9 am and rarely last until 11.',
    hashtags: ['#northsidecoffee'],
  },
  {
    day: 8,
    at: '10:00',
    client: true,
    on: ['page'],
    labels: ['Classes'],
    caption:
      'Cupping night, tomorrow at 7 pm: five coffees, one long table, no experience needed. Book at the counter.',
    comment: 'Can we say that it’s free? A few guests asked me.',
  },
]

/** Sent back to the editor with a reason. */
export const SENT_BACK: Timed & { reason: string } = {
  day: 5,
  at: '11:00',
  on: both,
  media: ['counter.jpg'],
  caption: 'Our cups keep coffee hot for hours. Pick yours up before they sell out!',
  reason: 'An hour at most, please. Let’s not promise more than the cups can do.',
}

export const DRAFTS: Wanted[] = [
  {
    on: ['page'],
    caption: 'Where do you like to sit? Tell us your favourite corner of the café, and we’ll take your portrait there.',
  },
  {
    on: both,
    labels: ['Autumn'],
    media: ['beans.jpg'],
    caption: 'Our gift boxes are nearly ready: three coffees, a filter and a card you can write yourself.',
  },
]

export const TEMPLATES: NonNullable<CallOptions<'createTemplate'>['body']>[] = [
  {
    name: 'New coffee',
    caption: 'New on the shelf: {{coffee}}, with notes of {{notes}}. Roasted on {{day}}.',
    hashtags: ['#freshlyroasted', '#northsidecoffee'],
  },
  {
    name: 'Weekend class',
    caption: '{{class}}, {{day}} at {{time}}. {{places}} places left: book at the counter.',
    hashtags: ['#northsidecoffee'],
  },
]

export const HASHTAG_SETS: NonNullable<CallOptions<'createHashtagSet'>['body']>[] = [
  { name: 'Café', hashtags: ['#northsidecoffee', '#coffeebreak', '#flatwhite'] },
  { name: 'Roastery', hashtags: ['#freshlyroasted', '#specialtycoffee', '#northsidecoffee'] },
]

export const VOICE: NonNullable<CallOptions<'createBrandVoice'>['body']> = {
  name: 'House voice',
  toneAttributes: ['warm', 'dry humour', 'unhurried'],
  vocabulary: {
    terms: ['coffee bar', 'roastery', 'regulars'],
    phrases: ['Come in and smell it.'],
    avoid: ['best in town', 'artisanal', 'hurry'],
  },
  writingStyle:
    'Short sentences about one concrete thing. One emoji at most. Never shout, never promise what a cup cannot do.',
  samplePosts: [
    'Latte art for beginners, in three days at 10 am. Six people, two hours, far too much milk. Two places left.',
    'Grind a little finer in cold weather. Your moka pot will thank you.',
  ],
}

export const SLOTS = (['monday', 'wednesday', 'friday'] as const).map((day) => ({ day, time: '09:00' }))

/** Who wrote on the network of the café's photos. */
export const segmentOn = (platform: Platform): NonNullable<CallOptions<'createSegment'>['body']> => ({
  name: 'Instagram guests of this week',
  filter: {
    all: [
      { field: 'network', op: 'is', value: platform },
      { field: 'daysSilent', op: 'atMost', value: 7 },
    ],
  },
})

export const REPORT: NonNullable<CallOptions<'createReport'>['body']> = {
  name: 'The month on our networks',
  range: 'last_month',
  sections: ['overview', 'posts', 'tags', 'bestTimes'],
  note: 'What guests saw and liked last month, and which topics did better.',
  forClients: true,
}

/** A tea room of the sandbox. */
export const COMPETITOR = 'cedar_tea_room_32'
