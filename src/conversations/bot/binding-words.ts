import { wordsOf } from '../../assistant/ai/words/rules.ts'
import { COMMON } from './common-words.ts'

// Words in a reply that commit the brand to something, in the languages that tests cover.

const listOf = (words: string) => words.split(',').map((word) => word.trim())

/** Promises. No passage of the knowledge can allow them. */
export const COMMITMENTS =
  listOf(`I will, I'll, we will, we'll, I am going to, I'm going to, we are going to, we're going to,
  I promise, we promise, promise you, guarantee, guaranteed, I guarantee, we guarantee, let me check, I have checked, I've checked,
  I have arranged, I've arranged, I have refunded, I've refunded, I have sent, I've sent, I have booked, I've booked,
  I have cancelled, I've cancelled, we have refunded, has been refunded, has been cancelled, has been canceled, has been shipped,
  has been booked, has been approved, you have my word, rest assured, will be refunded, will get back to you, will call you,
  will contact you, will reach out, I shall, we shall, it is done, it's done, you can count on, our fault, my fault,
  I am a human, I'm a human, I am human, I'm human, I am a person, I am a real person, I'm a real person, not a bot, my name is,
  ich bin ein mensch, kein bot, mein name ist, ich heiße, unsere schuld, verlass dich darauf,
  ich werde, wir werden, ich verspreche, wir versprechen, garantiert, garantieren, garantiere, ich habe erstattet, wurde erstattet,
  wurde storniert, wurde versandt, wird erstattet, ich kümmere mich, wir kümmern uns, ich melde mich, wir melden uns, versprochen,
  je suis un humain, je suis une personne, pas un robot, je m'appelle, notre faute, comptez sur nous,
  je vais, nous allons, je promets, nous promettons, garanti, garantie, garantissons, je garantis, a été remboursé,
  a été annulé, a été expédié, sera remboursé, je vous recontacte, nous vous recontacterons, je m'en occupe, nous nous en occupons,
  soy humano, soy humana, soy una persona, no soy un bot, me llamo, mi nombre es, culpa nuestra,
  voy a, vamos a, prometo, prometemos, garantizo, garantizamos, garantizado, ha sido reembolsado, ha sido cancelado, ha sido enviado,
  será reembolsado, me encargo, nos encargamos, le llamaremos, te llamaremos, nos pondremos en contacto,
  أنا إنسان, أنا إنسانة, أنا شخص حقيقي, لست روبوتا, اسمي, خطأنا,
  سأقوم, سوف أقوم, سنقوم, سوف نقوم, أعدك, نعدك, أعدكم, نعدكم, أضمن, نضمن, مضمون, مضمونة, سأتحقق, سنتحقق, سنتواصل, سأتواصل, سنتصل,
  سأتصل, تم استرداد, تم إلغاء, تم شحن, تم إرسال, سيتم استرداد, سيتم رد`)

/** Money, gifts, fast delivery, messengers, and data that only thieves ask for. A cited passage can allow them. */
export const OFFERS =
  listOf(`Telegram, WhatsApp, Signal, Viber, WeChat, Messenger, Snapchat, Discord, تيليجرام, تلغرام, واتساب, واتس,
  card number, credit card, debit card, bank account, bank details, iban, password, passcode, pin code, security code, verification code,
  wire transfer, kartennummer, kreditkarte, kontonummer, bankkonto, passwort, kennwort, überweise, überweisung,
  numéro de carte, carte bancaire, carte de crédit, compte bancaire, mot de passe, virement,
  número de tarjeta, tarjeta de crédito, cuenta bancaria, contraseña, transferencia,
  رقم البطاقة, بطاقة الائتمان, الحساب البنكي, كلمة المرور, كلمة السر, تحويل, حول المبلغ,
  two for one, buy one get one, for nothing, do not pay, don't pay, you pay nothing, your money, a deal, half the price,
  zwei für eins, zum halben preis, dein geld, ihr geld, zahlst nichts, gratuitamente, kostenloser, kostenlose, kostenloses,
  deux pour le prix d'un, à moitié prix, votre argent, ne payez rien, dos por uno, a mitad de precio, mitad del precio, sin pagar,
  su dinero, tu dinero, نصف الثمن, بنصف السعر, ببلاش, فلوسك, نقودك, أموالك, المبلغ,
  refunding, refunds, reimbursement, vouchers, coupons, gifts, discounts, gutscheine, rabatte, geschenke, remises, cadeaux, descuentos,
  at no cost, no cost, half off, third off, quarter off, our treat, at our expense, within a day, within an hour,
  within a week, same day, next day, overnight,
  aufs haus, auf unsere kosten, am selben tag, am nächsten tag, über nacht, innerhalb eines tages,
  aux frais de la maison, à nos frais, le jour même, le lendemain, dans la journée,
  por cuenta de la casa, invita la casa, por nuestra cuenta, el mismo día, al día siguiente,
  على حسابنا, على حساب المحل, بلا مقابل, دون مقابل, بدون مقابل, في نفس اليوم, خلال يوم, خلال ساعة, خلال أسبوع,
  free, for free, free of charge, gratis, complimentary, on the house, no charge, gift, voucher, coupon,
  promo code, discount, discounted, rebate, markdown, half price, price match, refund, refunded, reimburse, reimbursed, money back,
  compensation, compensate, credit note, store credit, waive, waived, warranty, liability, liable,
  kostenlos, kostenfrei, umsonst, geschenk, gutschein, rabatt, nachlass, ermäßigung, halber preis, erstattung, rückerstattung,
  erstattet, geld zurück, entschädigung, gutschrift, gewährleistung, haftung,
  gratuit, gratuite, gratuitement, offert, offerte, cadeau, bon d'achat, code promo, remise, réduction, rabais, moitié prix,
  remboursement, rembourser, remboursé, dédommagement, avoir,
  gratuito, gratuita, regalo, cupón, vale, código promocional, descuento, rebaja, mitad de precio, reembolso, reembolsar,
  devolución del dinero, compensación, indemnización,
  مجاني, مجانا, مجانية, هدية, قسيمة, كوبون, خصم, تخفيض, نصف السعر, استرداد, استرجاع المبلغ, رد المبلغ, تعويض, ضمان`)

/** Negations. A cited passage must have one too, since a single word reverses what it says. */
const NEGATIONS = new Set(
  wordsOf(`no not never none nobody nothing nowhere neither nor cannot without isn aren wasn don doesn didn won
  nein nicht nichts nie niemals niemand nirgends kein keine keinen keinem keiner keines weder ohne
  non pas jamais aucun aucune rien sans
  nunca jamás nada nadie ningún ninguna ninguno tampoco sin
  لا ولا ليس وليس ليست وليست لسنا ولسنا لن ولن لم ولم غير وغير بدون دون
  não nem nenhum nenhuma sem mai nessun nessuno nessuna senza niet geen nooit zonder değil yok hayır asla не нет никогда без`),
)
export const isNegated = (text: string): boolean => wordsOf(text).some((word) => NEGATIONS.has(word))

/** Words that no customer should read, whatever the brand's voice allows. */
export const INSULTS =
  listOf(`idiot, idiots, stupid, moron, morons, fool, fools, dumb, shut up, loser, scum, bastard, bitch, fuck, shit,
  dumm, dummkopf, trottel, depp, blöd, halt die klappe, arschloch, scheiße,
  idiote, imbécile, débile, stupide, connard, ta gueule, merde,
  idiota, estúpido, estúpida, imbécil, tonto, tonta, cállate, mierda,
  غبي, غبية, أغبياء, أحمق, حمقى, حمار, اخرس`)
export const RUDE_SIGNS = /[🖕💩]/u

/** What a message may say about harm to people. Only a cited passage with the same word makes a reply sure. */
export const HARM =
  listOf(`poisoned, poisoning, poison, allergic, allergy, allergies, hospital, ambulance, injured, injury, bleeding, suicide, unconscious,
  pregnant, medicine, medication, vergiftet, vergiftung, allergisch, allergie, krankenhaus, verletzt, selbstmord, schwanger, medikament,
  empoisonné, empoisonnement, intoxication, allergique, hôpital, blessé, suicide, enceinte, médicament,
  envenenado, envenenada, intoxicación, alérgico, alérgica, alergia, hospital, herido, herida, suicidio, embarazada, medicamento,
  تسمم, تسممت, حساسية, مستشفى, إسعاف, إصابة, انتحار, حامل, دواء`)

/** Greetings and polite phrases. Some have a word of the lists, and mean nothing of it. */
const POLITE = new RegExp(
  listOf(`feel free, we'll see you, we will see you, no problem, not at all, no worries, don't mention it, good morning,
  good afternoon, good evening, hi there, hello there, hey there, guten morgen, guten tag, guten abend, buenos días, buenas tardes, buenas noches,
  السلام عليكم, صباح الخير, مساء الخير, keine ursache,
  kein problem, nichts zu danken, de rien, pas de quoi, pas de souci, de nada, no hay de qué, sin problema, vale la pena, di niente,
  non c'è di che, não há de quê, sem problema, geen probleem, لا شكر على واجب, لا مشكلة, لا داعي للشكر`)
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => `(?<![\\p{L}])${phrase}(?![\\p{L}])`)
    .join('|'),
  'giu',
)
/** Returns a text without polite phrases, and with plain apostrophes. */
export const withoutPoliteness = (text: string): string => text.replaceAll('’', "'").replaceAll(POLITE, ' ')

/** Words of a reply to thanks, praise and greetings, in the languages that most customers write. */
const COURTESY = new Set(
  wordsOf(`welcome happy glad pleasure enjoy enjoyed day days week weekend evening morning afternoon night soon again see always anytime
  time love loved lovely nice great wonderful amazing kind words word means mean meant lot much made makes make team support feedback
  review visit visiting come back drop stop looking look forward hope help assist question questions anything else cheers appreciate
  appreciated delighted thrilled world everyone best wishes warm regards hearing hear thanks thank hi hello hey there dear
  sehr gern gerne freut freuen uns wunsche wunschen schonen schone schones tag abend wochenende bald wieder immer willkommen vielen lieben
  dank herzlichen danke hallo guten helfen team feedback nette netten worte riesig toll super besuch wiedersehen grusse liebe
  plaisir merci beaucoup tres heureux heureuse ravi ravie ravis content contente contents belle bonne journee soiree weekend bientot
  toujours bienvenue retour mots gentils gentil equipe touche touchent aider aide fait grand salut bonjour bonsoir souhaitons
  gracias muchas mucho muchisimas placer alegra alegramos gusto encanta feliz buen buena buenos buenas dia tarde noche pronto siempre
  bienvenido bienvenida bienvenidos palabras amables equipo ayudar ayudarte ayudarle saludos volver volvemos verte verlos esperamos hola
  العفو عفوا شكرا جزيلا لك لكم أهلا وسهلا مرحبا مرحبًا سعيد سعداء يسعدنا يسعدني نسعد بخدمتك بخدمتكم دائما دائمًا كثيرا كثيرًا كلماتك
  كلماتكم اللطيفة الجميلة الطيبة يوم يومك سعيد سعيدا نتمنى نراك نراكم قريبا قريبًا مساعدتك مساعدتكم نساعدك نساعدكم الرحب والسعة سرور بكل
  السلام عليكم وعليكم ورحمة الله وبركاته هذا يسرنا خدمتك خدمتكم
  prego grazie mille piacere felice felici contenti giornata presto sempre benvenuto benvenuti aiutare aiutarti ciao buongiorno
  obrigado obrigada prazer feliz felizes dia breve sempre volte bem vindo vinda ajudar ola muito
  graag gedaan dank bedankt blij fijn fijne dag tot snel altijd welkom helpen hallo leuk
  rica ederiz ederim teşekkür teşekkürler ne demek çok mutlu olduk iyi günler sevindik memnun olduk merhaba nasıl yardımcı olabiliriz bekleriz
  yine her zaman`),
)
/** Whether a text says nothing but thanks, wishes and what the message names, such as "We are glad you like the cake". */
export function isCourtesy(text: string, message: string): boolean {
  const named = new Set(wordsOf(message))
  return wordsOf(withoutPoliteness(text)).every((word) => COURTESY.has(word) || COMMON.has(word) || named.has(word))
}
