import type { Surroundings } from '../../src/assistant/ai/ai-brief.ts'
import type { Length } from '../../src/assistant/ai/rules.ts'

/** A brief, and what is expected of every option for it. */
export interface Golden {
  kind: 'caption' | 'rewrite' | 'translate'
  input: object
  language: string
  length: Length | null
  forbidden: string[]
  voice: Surroundings['voice']
}

/** For each language: its name as people type it, words that the brand never uses, and topics. */
const languages: Record<string, [name: string, forbidden: string[], topics: string[]]> = {
  en: ['English', ['luxury', 'cheap'], [
    'Our bakery now opens at six on weekdays',
    'A bicycle workshop for beginners next Saturday',
    'The new oat milk cappuccino with cardamom',
    'Three ways to keep your house plants alive in winter',
    'We are hiring a second pastry chef',
    'Behind the scenes of our ceramics studio',
  ]],
  ar: ['العربية', ['رخيص', 'الكماليات'], [
    'افتتاح المقهى الجديد في شارع الحمراء',
    'ورشة تعليم الخط العربي للأطفال',
    'تخفيضات نهاية الصيف على العطور الشرقية',
    'نصائح للعناية بالبشرة في الشتاء',
    'رحلة إلى الصحراء مع مرشد محلي',
    'قهوة مختصة من مزارع اليمن',
  ]],
  de: ['Deutsch', ['Luxus', 'billig'], [
    'Frisches Brot aus dem Holzofen jeden Freitag',
    'Ein Kurs für Anfänger im Töpfern',
    'Unser neuer Hofladen in Freiburg',
    'Fahrräder für Kinder im Verleih',
    'Regionaler Käse aus den Bergen',
    'Eine Lesung mit der Autorin am Donnerstag',
  ]],
  fr: ['French', ['luxe', 'pas cher'], [
    'La nouvelle carte de notre restaurant à Lyon',
    'Un atelier de couture pour débutants',
    'Des bouquets de saison livrés à vélo',
    'Les vendanges chez un petit producteur',
    'Une exposition de photographies au musée',
    'Notre savon au lait d’ânesse',
  ]],
  es: ['español', ['lujo', 'barato'], [
    'Clases de cerámica para toda la familia',
    'El nuevo menú de verano de la taberna',
    'Rutas en bicicleta por la costa',
    'Aceite de oliva de nuestra finca',
    'Un concierto de guitarra en la plaza',
    'Ropa hecha con algodón reciclado',
  ]],
  it: ['Italian', ['lusso', 'economico'], [
    'La pasta fresca della domenica',
    'Un corso di fotografia in centro',
    'La nuova collezione di scarpe artigianali',
    'Una degustazione di vini del Piemonte',
    'Il mercato dei fiori di primavera',
    'Restauro di mobili antichi',
  ]],
  pt: ['pt-BR', ['luxo', 'barato'], [
    'Café torrado na hora em São Paulo',
    'Aulas de dança para iniciantes',
    'Sorvetes de frutas do cerrado',
    'Uma feira de livros no parque',
    'Bolsas feitas com lona reciclada',
    'Passeios de barco ao pôr do sol',
  ]],
  tr: ['Türkçe', ['lüks', 'ucuz'], [
    'Yeni kahvaltı menümüz',
    'Çocuklar için seramik atölyesi',
    'El dokuması kilimler',
    'Kadıköy’de açılan kitapçı',
    'Ege zeytinyağı hasadı',
    'Hafta sonu doğa yürüyüşü',
  ]],
  ja: ['日本語', ['贅沢', '激安'], [
    '新しい抹茶ラテ',
    '初心者のための陶芸教室',
    '京都の小さな本屋',
    '季節の和菓子',
    '自転車の修理サービス',
    '秋の写真展',
  ]],
  ru: ['Russian', ['роскошь', 'дешёвый'], [
    'Свежий хлеб каждое утро',
    'Курс керамики для начинающих',
    'Новая коллекция вязаных шапок',
    'Выставка молодых художников',
    'Доставка цветов по городу',
    'Мастерская по ремонту велосипедов',
  ]],
} // prettier-ignore

const LENGTHS: Length[] = ['short', 'medium', 'long-form']
const EMOJI = ['none', 'minimal', 'heavy'] as const
const TONES = ['playful', 'professional', 'bold', 'warm']
const PLATFORMS = ['NET_PAGE', 'NET_PHOTO', 'NET_VIDEO', undefined] as const
const INTO: Record<string, string> = {
  en: 'ar',
  ar: 'fr',
  de: 'ja',
  fr: 'de',
  es: 'ru',
  it: 'tr',
  pt: 'en',
  tr: 'es',
  ja: 'it',
  ru: 'pt',
}

const voiceOf = (avoid: string[]) => ({
  toneAttributes: ['clear', 'friendly'],
  vocabulary: { terms: ['Parley'], phrases: [], avoid },
  writingStyle: 'Plain words, short sentences.',
  samplePosts: [],
})

/** Six captions in each language, one rewrite, and one translation into another language. */
export const golden: Golden[] = Object.entries(languages).flatMap(([code, [name, forbidden, topics]], place) => {
  const captions = topics.map((topic, at): Golden => {
    const turn = place + at
    const length = LENGTHS[turn % 3] as Length
    const platform = PLATFORMS[turn % 4]
    const input = {
      topic,
      language: name,
      length,
      tone: TONES[turn % 4],
      emoji: EMOJI[(turn + at) % 3],
      hashtags: turn % 2 === 0 ? { min: 2, max: 4 } : false,
      cta: turn % 3 === 0,
      count: 2 + (turn % 4),
      ...(platform && { platform }),
    }
    return { kind: 'caption', input, language: code, length, forbidden, voice: voiceOf(forbidden) }
  })
  const [first = '', second = ''] = topics
  const rewritten: Golden = {
    kind: 'rewrite',
    input: {
      caption: `${first}. ${second}. https://parley.example/a @parley`,
      language: name,
      instruction: 'make it shorter',
      length: 'short',
      emoji: 'none',
    },
    language: code,
    length: 'short',
    forbidden,
    voice: voiceOf(forbidden),
  }
  const target = INTO[code] ?? 'en'
  const [targetName = '', avoided = []] = languages[target] ?? []
  const translated: Golden = {
    kind: 'translate',
    input: {
      caption: `☕ ${first}.\n\n${second} 🎉 https://parley.example/b @parley #Parley`,
      targetLanguage: targetName,
    },
    language: target,
    length: null,
    forbidden: avoided,
    voice: voiceOf(avoided),
  }
  return [...captions, rewritten, translated]
})

/** The briefs in the languages that the stand-in writes. */
export const goldenOfStandIn = golden.filter(({ language }) => ['en', 'ar', 'de'].includes(language))
