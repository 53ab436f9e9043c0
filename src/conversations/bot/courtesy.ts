import { wordsOf } from '../../assistant/ai/words/rules.ts'
import { listOf } from './binding-words.ts'
import { COMMON } from './common-words.ts'
import { stem } from './knowledge.ts'

// Words that are polite and say nothing else.

/** Greetings and polite phrases. Some have a word of the lists of promises, offers or negations, and mean nothing of it. */
const POLITE = new RegExp(
  listOf(`feel free, you're free to, you are free to, we'll see you, we will see you, no problem, not at all, no worries, don't mention it, don't hesitate, do not hesitate, no doubt, without a doubt,
  happy to help, glad to help, we'll be happy to, we'll gladly, we'd love to, can't wait, good morning,
  good afternoon, good evening, hi there, hello there, hey there, guten morgen, guten tag, guten abend, buenos días, buenas tardes, buenas noches,
  no more than, not more than, no fewer than, no later than, not only, nicht mehr als, nicht später als, nicht nur, pas plus de, pas seulement,
  no más de, no solo, don't worry, no need to worry, mach dir keine sorgen, ne vous inquiétez pas, no te preocupes, لا تقلق, لا تقلقوا, لا تقلقي,
  السلام عليكم, صباح الخير, مساء الخير, keine ursache,
  am morgen, jeden morgen, morgens, de la mañana, por la mañana, por las mañanas,
  kein thema, keine sorge, ohne zweifel, tut uns leid, tut mir leid, kein problem, nichts zu danken, de rien, n'hésitez pas, n'hésite pas, sans doute, aucun souci, pas de quoi, pas de souci, de nada, no hay de qué, no dudes, no dude, no dudéis, sin duda, sin problema, vale la pena, tous deux, toutes deux, tous les deux, toutes les deux, los dos, las dos, di niente,
  non c'è di che, não há de quê, sem problema, geen probleem, لا تتردد, لا تترددوا, بلا شك, لا شكر على واجب, لا مشكلة, لا داعي للشكر`)
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => `(?<![\\p{L}])${phrase}(?![\\p{L}])`)
    .join('|'),
  'giu',
)
/** Returns a text without polite phrases, and with plain apostrophes. */
export const withoutPoliteness = (text: string): string => text.replaceAll('’', "'").replaceAll(POLITE, ' ')

/** Returns a text without "of course", since a course may be what the brand sells. */
export const withoutCourse = (text: string): string => text.replaceAll(/(?<!\p{L})of course(?!\p{L})/giu, ' ')

const wordsIn = (text: string) => new Set(wordsOf(text))

/** Thanks, joy and greetings. */
const KIND =
  wordsIn(`welcome happy glad pleasure enjoy enjoyed love loved thank thanks cheers appreciate appreciated delighted thrilled hello hi hey moin servus grüezi hej salut selam
  danke dank herzlichen gern gerne freut freuen hallo willkommen merci ravi ravie ravis heureux contents plaisir bonjour bienvenue
  gracias alegra alegramos encanta gusto placer hola bienvenido bienvenida شكرا العفو عفوا سعداء سعيد يسعدنا يسعدني نسعد مرحبا مرحبًا أهلا
  grazie prego felici piacere ciao obrigado obrigada prazer olá bedankt dank graag blij hallo teşekkürler teşekkür rica sevindik memnun mutlu merhaba`)

/** Other words of polite sentences, in the languages that most customers write. */
const COURTESY =
  wordsIn(`day days week weekend evening morning afternoon soon again see always anytime any time lovely nice great wonderful
  amazing fantastic awesome kind words word mean means meant lot much made makes make team support feedback review visit visiting come comes back
  drop stop other others looking look forward hope help assist question questions anything else everyone best wishes warm regards hearing hear there dear seeing welcoming meeting  helping   luck safe      appetite  surprise understanding patience
   visits    interest oh wow
  truly really wait another sure absolutely certainly definitely gladly yay aww send message hesitate sorry unfortunately happily malheureusement lamentablemente desafortunadamente purtroppo infelizmente helaas maalesef
  sehr wunsche wunschen schonen schone schones tag abend wochenende bald wieder immer vielen lieben guten helfen nette netten worte
  riesig toll tolle tollen lob super besuch besuchs nachsten wiedersehen grusse liebe lieber klar naturlich selbstverstandlich leider mega ihnen ihr
  deinen deine wohlgefuhlt gefallen gute besserung herzlich herzlichen melde meldet melden fragen frage hast haben appetit verständnis geduld dir geschehen schön
  wie oh viel freude spaß erfolg interesse nachricht anfrage rückmeldung jederzeit erreichbar kontaktieren stehen verfügung
  tres beaucoup heureuse contentes content contente belle bonne bon journee soiree weekend bientot vite toujours retour mots gentils gentil equipe accueillir servir hate contactez ecrivez ecrire appetit patience comprehension confiance touche touchent aider aide
  fait grand salut bonsoir souhaitons sommes ait plu revoir sur bien cours evidemment
  muchas mucho muchisimas feliz buen buena buenos buenas dia tarde noche pronto siempre bienvenidos palabras amables equipo ayudar ayudarte
  ayudarle saludos volver volvemos verte verlos esperamos escribirnos necesitas necesita haya gustado guste muchisimo alegria leerlo vuestra visita os claro supuesto lo sentimos recibirte recibiros atenderte pregunta preguntas duda dudas escribenos contactanos provecho paciencia
  جزيلا لك لكم وسهلا سعيدا بخدمتك بخدمتكم دائما كثيرا جدا كلماتك كلماتكم اللطيفة الجميلة الطيبة يوم يومك يوما نتمنى نراك نراكم قريبا مساعدتك مساعدتكم
  نساعدك نساعدكم الرحب والسعة سرور بكل السلام عليكم وعليكم ورحمة الله وبركاته يسرنا خدمتك خدمتكم سؤالنا شيء آخر معكم معنا صباحا مساء بالتأكيد أكيد طبعا بالطبع أعجبتك أعجبك للأسف
  بك بكم صباح الخير مساء النور استقبالك استقبالكم بالعافية العافية كلامك كلامكم الطيب سعدنا بزيارتك بزيارتكم زيارتك زيارتكم نحتفل رؤيتك رؤيتكم
  برؤيتك برؤيتكم انتظارك انتظاركم بانتظارك بانتظاركم نتشرف شرف راسلنا راسلونا تواصل تواصلوا استفسار أسئلة سؤال أي لأي
  mille giornata presto sempre benvenuto benvenuti aiutare aiutarti buongiorno felice certo
  dia breve sempre volte bem vindo vinda ajudar muito felizes claro
  gedaan fijn fijne tot snel altijd welkom helpen leuk
  ederiz ederim ne demek çok olduk iyi günler nasıl yardımcı olabiliriz bekleriz yine her zaman evet tabii memnuniyetle`)

/** Whether a text has a word of thanks, joy or greeting. */
export const hasKindWord = (text: string): boolean => wordsOf(text).some((word) => KIND.has(word))

const isPlain = (word: string) => KIND.has(word) || COURTESY.has(word) || COMMON.has(word)

/** Whether a word says nothing about the brand. */
export const isCourteous = (word: string): boolean => KIND.has(word) || COURTESY.has(word)

/** This many common words in a row, such as "you must die", are a sentence that may say anything. */
const ANYTHING = 3

/**
 * Whether a sentence says nothing but thanks, wishes and what is `named`, such as "We are glad you like the cake". It may
 * have named words only beside a word of thanks or joy.
 */
export function isCourtesy(sentence: string, named: readonly string[] = []): boolean {
  const words = wordsOf(withoutCourse(withoutPoliteness(sentence)))
  if (words.length >= ANYTHING && !words.some(isCourteous) && !/[?؟]\s*$/u.test(sentence)) return false
  if (words.every(isPlain)) return true
  const stems = new Set(named.map(stem))
  return words.some((word) => KIND.has(word)) && words.every((word) => isPlain(word) || stems.has(stem(word)))
}
