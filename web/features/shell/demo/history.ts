import type { SocialAccount } from '../../../../src/channels/api.ts'
import { addDays, dateIn, instantOf } from '../../../time.ts'
import type { Where } from './content.ts'

// What the café posted on its networks in the weeks before it came here, each with the hashtag of its topic.

const CAPTIONS: Readonly<Record<string, readonly string[]>> = {
  '#roasting': [
    'Batch 212 is cooling. It smells of cocoa and a little of toast.',
    'A lighter roast this week, because this coffee is sweet enough on its own.',
    'Eleven minutes and forty seconds. That is the whole secret.',
    'Which roast do you take home: light, medium or dark?',
    'Forty kilos by noon, and the windows are open again.',
    'The roaster is back from its service and hums like new.',
    'From sack to bag: what happens here on a Tuesday.',
    'First crack. Now every second counts.',
  ],
  '#classes': [
    'Six people, one steamer, and a lot of foam. Thank you for Saturday!',
    'Next latte art class: two places are still free.',
    'Can you pour a heart with your left hand? We can’t either.',
    'What would you like to learn with us this winter?',
    'Home espresso for beginners starts on Thursday evening.',
    'The certificate is a sticker. The cappuccino is real.',
    'A class for two makes a good present. Ask at the counter.',
  ],
  '#bakery': [
    'Cinnamon buns until eleven, or until they are gone.',
    'The almond cake is back, and so is its queue.',
    'Sourdough toast with tomatoes from the market round the corner.',
    'Sweet or savoury for breakfast?',
    'Sixty croissants this morning. Four are left.',
    'Lemon cake, still warm. You know where we are.',
    'A new bun is being tested. It has cardamom in it.',
  ],
  '#brewing': [
    'Rinse the filter first. Your coffee will taste of coffee.',
    'Fifteen grams, two hundred and fifty of water, three minutes.',
    'Does your coffee taste bitter? Grind a little coarser.',
    'Cold brew needs sixteen hours and no attention at all.',
    'Which brewer stands in your kitchen?',
    'Fresh water, clean pot, better cup. Every time.',
    'A moka pot needs a low flame and some patience.',
  ],
  '#قهوتنا': [
    'صباح الخير من المقهى. القهوة جاهزة والمقاعد قرب النافذة خالية.',
    'محصول جديد من إثيوبيا: ياسمين وخوخ ونهاية طويلة.',
    'كيف تحبون قهوتكم: سادة أم مع الحليب؟',
    'طاولة طويلة وثلاثة فناجين وحديث لا ينتهي.',
    'حمّصنا اليوم دفعة صغيرة لمن يحب القهوة الداكنة.',
    'شكرًا لكل من حضر أمسية التذوق.',
  ],
}

/** One of each topic in turn, as a café posts. */
const TEXTS = Array.from({ length: 8 }, (_, round) =>
  Object.entries(CAPTIONS).flatMap(([tag, captions]) => (captions[round] ? [`${captions[round]} ${tag}`] : [])),
).flat()

/** The past days that posts are spread over. The network tells of posts of 90 days. */
const DAYS = 88
const TIMES = ['08:15', '12:20', '17:45', '09:05', '19:30']
/** Where the café posted, how many of the texts, and how many minutes after the others. */
const PLACES: readonly [where: Where, posts: number, later: number][] = [
  ['page', TEXTS.length, 0],
  ['photo', TEXTS.length, 35],
  ['roastery', 12, 90],
  ['video', 18, 150],
]

/** Asks the sandbox to do something to its networks. */
export type Play = (path: string, body: object) => Promise<void>

/** The posts that the people of the café made on the networks themselves. */
export async function tellHistory(
  play: Play,
  places: Readonly<Record<Where, SocialAccount | undefined>>,
  zone: string,
): Promise<void> {
  const today = dateIn(new Date(), zone)
  await Promise.all(
    PLACES.map(async ([where, count, later]) => {
      const account = places[where]
      if (!account) return
      const posts = TEXTS.slice(0, count).map((text, index) => {
        const day = addDays(today, -Math.round(DAYS - (index * (DAYS - 2)) / count))
        const time = instantOf(`${day}T${TIMES[index % TIMES.length]}`, zone)
        return { text, at: new Date(time.getTime() + later * 60_000).toISOString() }
      })
      await play('history', { accountId: account.externalId, posts })
    }),
  )
}
