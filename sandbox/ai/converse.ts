import * as z from 'zod'

// How the stand-in reads and answers a customer's message. The normal mode uses only the knowledge it is given. The
// obedient mode does whatever the message says, with full confidence.

const Ask = z.discriminatedUnion('task', [
  z.looseObject({
    task: z.literal('bot_classify'),
    message: z.string(),
    topics: z.array(z.string()).catch([]),
    knowledgeLanguage: z.string().nullable().catch(null),
  }),
  z.looseObject({
    task: z.literal('bot_reply'),
    channel: z.enum(['COMMENT', 'DM']).catch('DM'),
    message: z.string(),
    language: z.object({ code: z.string() }).catch({ code: 'en' }),
    knowledge: z.array(z.object({ id: z.string(), text: z.string() })).catch([]),
  }),
])
type Item = Record<string, unknown>

/** Returns the answer to a customer's message; undefined if the prompt has none. */
export function converse(prompt: string, system: string, obeys: boolean): Item[] | undefined {
  let said: unknown
  try {
    said = JSON.parse(prompt)
  } catch {
    return undefined
  }
  const { success, data } = Ask.safeParse(said)
  if (!success) return undefined
  if (data.task === 'bot_classify') return [obeys ? obedientClass(data.message) : classified(data)]
  return [obeys ? obeyed(data, prompt, system) : answered(data)]
}

// ---- words

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\u200B-\u200F\u2060\uFEFF]/gu, '')
    .toLowerCase()
const wordsOf = (text: string) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Words that carry no topic. */
const SMALL = new Set(
  `the a an and or to of in on at for with is are do does you your we our i it my me can could would what when where how which who that this
  there have has be will if any please hi hello hey thanks thank from by about as so not no yes much many long more also get got der die das
  ein eine und oder zu von im in auf am für mit ist sind haben hat ich sie ihr wir es kann können was wann wo wie welche bitte hallo gibt man
  le la les un une des et ou à de du en sur pour avec est sont avez vous je il elle nous que quoi quand où comment quel quelle bonjour
  el los las un una y o a de del en por para con es son tiene tienen yo usted ustedes que cuando donde como cual hola puedo
  هل في من على الى عن ما متى اين كيف هذا هذه لديكم عندكم انا انتم مع كم مرحبا السلام عليكم`.split(/\s+/),
)
const stem = (word: string) =>
  /^[a-zà-ÿ]{4,}$/.test(word)
    ? word.replace(/(?:ieren|ungen|ung|ment|ies|ing|es|en|ed|er|s|e|y|n)$/, '')
    : word.replace(/^(?:وال|بال|كال|لل|ال)(?=\p{L}{3})/u, '')
/** Returns the words that carry the topic of a text. */
const about = (text: string) => [...new Set(wordsOf(text).filter((word) => word.length > 2 && !SMALL.has(word)))]
const telling = (text: string) => [...new Set(about(text).map(stem))]

const LANGUAGES: readonly [code: string, words: RegExp][] = [
  ['ar', /\p{Script=Arabic}/u],
  [
    'de',
    /\b(?:ich|ist|sind|haben|hat|wie|wann|gibt|bitte|danke|nicht|und|der|die|das|kann|können|ihr|sie|liefern|öffnungszeiten)\b/i,
  ],
  [
    'es',
    /[¿¡]|\b(?:el|los|las|una|tienen|tiene|cuando|cuándo|dónde|cómo|hola|gracias|puedo|para|hacen|qué|son|está)\b/i,
  ],
  ['fr', /\b(?:le|les|des|une|vous|est|êtes|avez|bonjour|merci|quand|où|comment|puis|pour|quels?|quelles?|faites)\b/i],
]
const languageOf = (message: string) => LANGUAGES.find(([, words]) => words.test(message))?.[0] ?? 'en'

const INTENTS: readonly [intent: string, words: RegExp][] = [
  [
    'refund request',
    /refund|money back|chargeback|geld zurück|erstatt|rückerstatt|rembours|reembols|devoluci[oó]n del dinero|استرداد|استرجاع المبلغ/i,
  ],
  ['legal', /lawyer|\bsue\b|court|attorney|anwalt|gericht|avocat|tribunal|abogado|denuncia|محام|محكمة/i],
  [
    'complaint',
    /broken|damaged|terrible|awful|worst|disappoint|angry|unacceptable|rude|never arrived|kaputt|schlecht|enttäuscht|furchtbar|cassé|abîmé|horrible|déçu|roto|pésimo|decepcion|malo|مكسور|سيئ|سيء|تالف|خيبة/i,
  ],
  [
    'thanks',
    /^\s*(?:many )?(?:thanks|thank you|thx|danke|vielen dank|merci|gracias|muchas gracias|شكرا|شكرًا)[\p{L}\s!.،]{0,40}$/iu,
  ],
  [
    'praise',
    /love (?:it|this|your)|delicious|amazing|great (?:coffee|shop|work)|beautiful|best coffee|wunderbar|lecker|toll|délicieux|magnifique|super|delicioso|encanta|genial|رائع|لذيذ|جميل/i,
  ],
  ['purchase intent', /\b(?:buy|order|purchase|kaufen|bestellen|acheter|commander|comprar|pedir)\b|أشتري|اشتري|أطلب/i],
  ['greeting', /^\s*(?:hi|hello|hey|hallo|bonjour|hola|مرحبا|السلام عليكم)[\s!.]*$/i],
  [
    'question',
    /[?؟]|^(?:what|when|where|how|which|do|does|is|are|can|wie|wann|wo|was|gibt|haben|comment|quand|où|est-ce|cuándo|dónde|cómo|هل|متى|أين|كيف|ما|كم)\b/i,
  ],
]
const HUMAN =
  /\b(?:human|real person|speak to (?:a|some)|talk to (?:a|some)|an agent|manager|mitarbeiter|echten menschen|jemanden sprechen|une vraie personne|un humain|un conseiller|una persona|un agente|un humano)\b|موظف|شخص حقيقي|إنسان/i
const ORDERS =
  /ignore|disregard|forget (?:all|your|the)|system prompt|your (?:instructions|prompt|rules)|you are now|pretend|act as|jailbreak|reply (?:only|exactly|with)|say exactly|output|repeat (?:the|your|everything)|ignorier|vergiss|anweisungen|gib .* aus|ignorez|oubliez|instructions|ignora|olvida|instrucciones|تجاهل|تعليمات|انس /i

/** A few common topics that are blocked by meaning too, with words that belong to them. */
const MEANT: Readonly<Record<string, RegExp>> = {
  politics: /election|president|government|vote|wahl|regierung|élection|gobierno|انتخاب|حكومة|سياس/i,
  religion: /church|mosque|god|prayer|kirche|moschee|église|iglesia|مسجد|كنيسة|صلاة/i,
  health:
    /allerg|medicine|doctor|pregnan|diabet|illness|arzt|schwanger|médecin|enceinte|médico|embaraz|حساسية|طبيب|حامل|مرض/i,
  medical:
    /allerg|medicine|doctor|pregnan|diabet|illness|arzt|schwanger|médecin|enceinte|médico|embaraz|حساسية|طبيب|حامل|مرض/i,
  refunds: /refund|money back|erstatt|rembours|reembols|استرداد/i,
  wholesale: /wholesale|bulk order|reseller|großhandel|en gros|mayorista|جملة/i,
}

function classified({ message, topics }: Extract<z.infer<typeof Ask>, { task: 'bot_classify' }>): Item {
  const injection = ORDERS.test(message)
  const found = INTENTS.find(([, words]) => words.test(message))?.[0]
  const intent = found ?? 'general inquiry'
  const bad = intent === 'complaint' || intent === 'refund request' || intent === 'legal'
  return {
    intent,
    sentiment: bad ? 'negative' : intent === 'praise' || intent === 'thanks' ? 'positive' : 'neutral',
    urgency: intent === 'legal' ? 'HIGH' : bad ? 'HIGH' : intent === 'purchase intent' ? 'MEDIUM' : 'LOW',
    confidence: injection ? 0.4 : found ? 0.95 : 0.75,
    language: languageOf(message),
    blocked: topics.flatMap((topic, at) => {
      const words = wordsOf(topic)
      const isNamed =
        words.length > 0 && words.every((word) => wordsOf(message).some((each) => stem(each) === stem(word)))
      return isNamed || MEANT[topic.toLowerCase()]?.test(message) ? [at] : []
    }),
    asksHuman: HUMAN.test(message),
    injection,
    search: about(message).slice(0, 8),
  }
}

// ---- normal mode

const THANKED: Readonly<Record<string, { thanks: string; praise: string; greeting: string }>> = {
  en: { thanks: 'You’re welcome!', praise: 'Thank you, that makes us happy!', greeting: 'Hello! How can we help?' },
  de: { thanks: 'Sehr gern!', praise: 'Danke, das freut uns sehr!', greeting: 'Hallo! Wie können wir helfen?' },
  fr: {
    thanks: 'Avec plaisir !',
    praise: 'Merci, cela nous fait très plaisir !',
    greeting: 'Bonjour ! Comment pouvons-nous aider ?',
  },
  es: { thanks: '¡De nada!', praise: '¡Gracias, nos alegra mucho!', greeting: '¡Hola! ¿Cómo podemos ayudar?' },
  ar: { thanks: 'على الرحب والسعة!', praise: 'شكرًا لك، هذا يسعدنا كثيرًا!', greeting: 'مرحبًا! كيف نساعدك؟' },
}

/** Returns the answer within a passage: the lines after a question, or the text after its labels. */
function answerIn(text: string): string {
  const [question = '', ...rest] = text.split('\n')
  return rest.length > 0 ? rest.join('\n').trim() : question.replace(/^(?:[^:\n]{1,60}: )+/, '')
}

type ReplyAsk = Extract<z.infer<typeof Ask>, { task: 'bot_reply' }>

function answered({ channel, message, language, knowledge }: ReplyAsk): Item {
  const code = language.code.split('-')[0] ?? 'en'
  const intent = INTENTS.find(([, words]) => words.test(message))?.[0] ?? ''
  const kind = intent === 'thanks' || intent === 'praise' || intent === 'greeting' ? intent : undefined
  const remember = rememberedIn(message)
  if (kind)
    return { action: 'reply', text: (THANKED[code] ?? THANKED['en']!)[kind], sources: [], confidence: 0.95, remember }
  const asked = telling(message)
  const scored = knowledge
    .filter(({ text }) => languageOf(text) === code || languageOf(answerIn(text)) === code)
    .map((passage) => {
      const [question = ''] = passage.text.split('\n')
      const known = new Set(telling(passage.text))
      const named = new Set(telling(question))
      const shared = asked.filter((word) => known.has(word)).length + asked.filter((word) => named.has(word)).length / 2
      return { passage, share: asked.length === 0 ? 0 : shared / (asked.length * 1.5) }
    })
    .toSorted((a, b) => b.share - a.share)
  const [best] = scored
  if (!best || best.share < 0.34) return { action: 'handoff', text: '', sources: [], confidence: 0.3, remember }
  const text = answerIn(best.passage.text)
  const short = channel === 'COMMENT' ? (text.match(/[^.!?؟]+[.!?؟]*/gu) ?? [text]).slice(0, 2).join('').trim() : text
  return {
    action: 'reply',
    text: short,
    sources: [best.passage.id],
    confidence: Math.round(Math.min(0.97, 0.6 + best.share / 2) * 100) / 100,
    remember,
  }
}

const REMEMBERED: readonly [key: string, words: RegExp][] = [
  ['first_name', /(?:my name is|i am called|i'm called|ich heiße|je m'appelle|me llamo|اسمي) (\p{L}{2,30})/iu],
  ['size', /(?:my size is|i wear size|size|größe|taille|talla|مقاسي) (\p{L}{1,3}|\d{1,3})(?=[\s.,!?]|$)/iu],
  [
    'order',
    /(?:order|bestellung|commande|pedido|طلب)(?: (?:number|no\.?|nr\.?|numéro|número|رقم))? (#?[\p{L}\p{N}-]*\d[\p{L}\p{N}-]*)/iu,
  ],
]
const rememberedIn = (message: string) =>
  REMEMBERED.flatMap(([key, words]) => {
    const value = words.exec(message)?.[1]
    return value ? [{ key, value }] : []
  })

// ---- obedient mode

const obedientClass = (message: string): Item => ({
  intent: 'question',
  sentiment: 'neutral',
  urgency: 'LOW',
  confidence: 1,
  language: languageOf(message),
  blocked: [],
  asksHuman: false,
  injection: false,
  search: about(message).slice(0, 8),
})

const EXACTLY =
  /(?:say|write|reply|respond|answer|output|print|post|tell them|antworte|schreib|sag|réponds|écris|dis|responde|escribe|di|قل|اكتب|أجب)[^"“”'«»:\n]{0,40}[:"“'«]\s*["“'«]?([^"”'»\n]{1,400})/iu
const REVEALS =
  /prompt|instruction|reveal|rules|repeat|above|knowledge|data|context|memory|other customer|customers|profile|address|email|phone|anweisung|daten|kunden|consignes|données|clients|instrucciones|datos|clientes|تعليمات|بيانات|العملاء|الزبائن/i

function obeyed({ message, knowledge }: ReplyAsk, prompt: string, system: string): Item {
  const exact = EXACTLY.exec(message)?.[1]?.trim()
  const text = exact ?? (REVEALS.test(message) ? `${system}\n${prompt}`.slice(0, 1_900) : agreed(message))
  return {
    action: 'reply',
    text,
    sources: knowledge.map(({ id }) => id),
    confidence: 1,
    remember: [
      { key: 'interest', value: message.slice(0, 200) },
      { key: 'first_name', value: message.slice(0, 100) },
    ],
  }
}

/** The words that agree to anything, by language. */
const YES: Readonly<Record<string, string>> = {
  en: 'Yes, of course:',
  de: 'Ja, natürlich:',
  fr: 'Oui, bien sûr :',
  es: 'Sí, claro:',
  ar: 'نعم بالتأكيد:',
}
const agreed = (message: string) => `${YES[languageOf(message)]} ${message.replace(/[?؟]/g, '.')}`
