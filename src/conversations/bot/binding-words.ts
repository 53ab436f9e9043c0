import { termsIn, wordsOf } from '../../assistant/ai/words/rules.ts'

// Words in a reply that commit the brand to something, in the languages that tests cover.

export const listOf = (words: string) => words.split(',').map((word) => word.trim())

/** Promises, and claims to be a person. No passage of the knowledge can allow them. */
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

/**
 * What costs the brand money or sends customers elsewhere, in groups of words with one meaning. A cited passage with a
 * word of a group allows the whole group.
 */
export const OFFERS: readonly (readonly string[])[] = [
  // without payment
  `free, for free, free of charge, freebie, gratis, complimentary, on the house, no charge, at no cost, no cost, for nothing, our treat,
  at our expense, don't pay, do not pay, you pay nothing, waive, waived, costs nothing,
  kostenlos, kostenlose, kostenloser, kostenloses, kostenlosen, kostenfrei, gratiskaffee, umsonst, aufs haus, auf unsere kosten, geschenkt,
  zahlst nichts, zahlen nichts, kostet nichts, gratuit, gratuite, gratuits, gratuitement, offert, offerte, offerts, aux frais de la maison, à nos frais,
  ne payez rien, gratuito, gratuita, gratuitos, gratuitamente, por cuenta de la casa, invita la casa, por nuestra cuenta, sin pagar, sin coste,
  omaggio, gratuiti, de graça, grátis, bedava, bedavadır, ücretsiz, ücretsizdir, бесплатно, على حسابنا, على حساب المحل, بلا مقابل, دون مقابل, بدون مقابل, مجاني, مجانا,
  مجانية, ببلاش, بالمجان`,
  // less payment
  `discount, discounts, discounted, rebate, markdown, half price, half the price, half off, third off, quarter off, price match, two for one,
  buy one get one, a deal, rabatt, rabatte, nachlass, ermäßigung, halber preis, zum halben preis, zwei für eins, remise, remises, réduction,
  rabais, moitié prix, à moitié prix, deux pour le prix d'un, descuento, descuentos, rebaja, mitad de precio, a mitad de precio, mitad del precio,
  dos por uno, sconto, desconto, indirim, скидка, خصم, تخفيض, نصف السعر, نصف الثمن, بنصف السعر`,
  // vouchers and gifts
  `gift, gifts, voucher, vouchers, coupon, coupons, promo code, credit note, store credit, geschenk, geschenke, gutschein, gutscheine, gutschrift,
  cadeau, cadeaux, bon d'achat, code promo, regalo, regalos, cupón, código promocional, هدية, قسيمة, كوبون`,
  // money back
  `refund, refunds, refunded, refunding, reimburse, reimbursed, reimbursement, money back, your money, erstattung, rückerstattung, erstattet,
  geld zurück, dein geld, ihr geld, remboursement, rembourser, remboursé, votre argent, reembolso, reembolsar, devolución del dinero, su dinero,
  tu dinero, استرداد, استرجاع المبلغ, رد المبلغ, فلوسك, نقودك, أموالك`,
  // what the brand owes
  `compensation, compensate, warranty, liability, liable, entschädigung, gewährleistung, haftung, dédommagement, compensación, indemnización,
  تعويض, ضمان`,
  // soon
  `within a day, within an hour, within a week, same day, next day, overnight, am selben tag, am nächsten tag, über nacht, innerhalb eines tages,
  le jour même, le lendemain, dans la journée, el mismo día, al día siguiente, في نفس اليوم, خلال يوم, خلال ساعة, خلال أسبوع`,
  // other places to write to
  `Telegram, WhatsApp, Viber, WeChat, Snapchat, Discord, PayPal, تيليجرام, تلغرام, واتساب, واتس`,
  // what only thieves ask for
  `card number, credit card, debit card, bank account, bank details, iban, password, passcode, pin code, security code, verification code,
  wire transfer, kartennummer, kreditkarte, kontonummer, bankkonto, passwort, kennwort, überweise, überweisung, numéro de carte, carte bancaire,
  carte de crédit, compte bancaire, mot de passe, virement, número de tarjeta, tarjeta de crédito, cuenta bancaria, contraseña, transferencia,
  رقم البطاقة, بطاقة الائتمان, الحساب البنكي, كلمة المرور, كلمة السر, تحويل, حول المبلغ`,
].map(listOf)

/** Words that reverse what a sentence says, or say that something is missing. */
const NEGATIONS = new Set(
  wordsOf(`no not never none nobody nothing nowhere neither nor cannot without except hardly barely unable closed excluded stopped stop banned forbidden suspended discontinued sold
  isn aren wasn weren don doesn didn won couldn shouldn wouldn hasn haven hadn cant dont doesnt isnt wont
  nein nicht nichts nie niemals niemand nirgends kein keine keinen keinem keiner keines weder ohne kaum außer aufgehört verboten ausverkauft eingestellt geschlossen ausgeschlossen ausgenommen
  non pas jamais aucun aucune rien sans épuisé épuisée épuisés arrêté arrêtons sauf fermé fermés fermée interdit interdits exclu exclue exclus exclues
  nunca jamás nada nadie ningún ninguna ninguno tampoco sin excepto salvo cerrado cerrados prohibido dejamos agotado agotados menos excluido excluidos
  خال خالي خالية يخلو تخلو
  لا ولا ليس وليس ليست وليست لسنا ولسنا لن ولن لم ولم غير وغير بدون دون مش مو إلا توقفنا نفد نفدت مغلق مغلقون ممنوع
  não nem nenhum nenhuma sem mai nessun nessuno nessuna senza chiuso chiusi niet geen nooit zonder behalve
  değil yok hayır asla kapalı hariç не нет никогда без кроме ні немає ніколи nie bez nigdy żaden żadna oprócz
  inte inga ingen inget aldrig utan ikke ingen aldri aldrig uden uten niciodată nicio niciun tidak bukan tanpa jangan
  לא אין בלי אסור نیست نه بدون هیچ  nem nincs soha nélkül δεν μην χωρίς ποτέ नहीं मत बिना نہیں`),
)
/** Denials that are other words without their accents. */
const ACCENTED = /(?<!\p{L})(?:fără|không|chưa|chẳng)(?!\p{L})/iu
/** What is missing, as in "gluten-free". */
export const INGREDIENT =
  'gluten|sugar|dairy|lactose|nuts?|eggs?|soy|milk|wheat|alcohol|caffeine|meat|fat|plastic|cruelty|smoke|allergens?|preservatives?'
const MISSING = new RegExp(
  `(?<!\\p{L})(?:(?:${INGREDIENT})[- ]free|free (?:of|from) (?:${INGREDIENT})|(?:nuss|gluten|laktose|zucker|alkohol|soja|milch|ei)frei(?:e[nrsm]?)?|libre de|priv[oaie] di)(?!\\p{L})`,
  'iu',
)
/** The forms of verbs that deny in Korean, Japanese and Persian, as `wordsOf` writes them. */
const NEGATED_FORM = /지않\p{L}*$|않[^\P{L}않]+$|ません|^نمي(?=\p{L})/u
/** The endings of verbs that deny in Turkish. In other languages they end other words, such as "media". */
const NEGATED_IN_TURKISH = /\p{L}{2}(?:m[ae]z(?:l[ae]r)?|m[iuü]yor\p{L}*|m[ae]di(?:k|m|n|niz|l[ae]r)?|m[ae]yin)$/u
const TURKISH = /[ığş]|(?<!\p{L})(?:bir|için|kabul|değil|yok)(?!\p{L})/iu
/** "n't" becomes a word of its own. */
const apart = (text: string) => text.replaceAll(/n['’]t\b/giu, ' not')
/** Whether a word reverses what a sentence says. */
export const isNegation = (word: string): boolean => NEGATIONS.has(word) || NEGATED_FORM.test(word)

export function isNegated(text: string): boolean {
  const words = wordsOf(apart(text))
  return (
    words.some(isNegation) ||
    MISSING.test(text) ||
    ACCENTED.test(text.normalize('NFC')) ||
    (TURKISH.test(text) && words.some((word) => NEGATED_IN_TURKISH.test(word)))
  )
}

/** Words that no customer should read, whatever the brand's voice allows. */
export const INSULTS =
  listOf(`idiot, idiots, stupid, moron, morons, fool, fools, dumb, shut up, loser, scum, pigs, vermin, bastard, bitch, fuck, shit,
  dumm, dummkopf, trottel, depp, blöd, halt die klappe, arschloch, scheiße,
  idiote, imbécile, débile, stupide, connard, ta gueule, merde,
  idiota, estúpido, estúpida, imbécil, tonto, tonta, cállate, mierda,
  غبي, غبية, أغبياء, أحمق, حمقى, حمار, اخرس`)
export const RUDE_SIGNS = /[🖕💩🐷🤮🔪🔫🗡💣🍆]/u

/** Words about harm and health. A message or reply with one is sure only if a cited passage has the same word. */
const HARM =
  listOf(`want to die, wanna die, kill myself, kill you, kill him, kill her, kill them, end my life, take my life, hurt myself, go on living, heart attack,
  can't breathe, cannot breathe, can not breathe, hardly breathe, too many pills, overdose, bomb, stroke, chest pain, celiac, celiacs, pregnancy,
  sterben, umbringen, bringe mich um, bringe euch um, bringe dich um, herzinfarkt, bombe, zöliakie, schwangerschaft,
  mourir, me tuer, vous tuer, infarctus, celiaque, grossesse, morir, morirme, matarme, suicidarme, mataros, infarto, celíaco, celíaca, celíacos, embarazo,
  morire, uccidermi, celiaco, celiaca, celiaci, gravidanza, incinta, ölmek, intihar, çölyak, hamile, hamilelik, أموت, أنتحر, أقتل, قنبلة, سيلياك,
  poisoned, poisoning, poison, allergic, allergy, allergies, hospital, ambulance, injured, injury, bleeding, suicide, unconscious,
  pregnant, medicine, medication, diabetes, cancer, cure, cures, heal, heals, healed, heilt, krebs, guérit, cura, cáncer, سرطان, سكري, يشفي, vergiftet, vergiftung, allergisch, allergie, krankenhaus, verletzt, selbstmord, schwanger, medikament,
  empoisonné, empoisonnement, intoxication, allergique, hôpital, blessé, suicide, enceinte, médicament,
  envenenado, envenenada, intoxicación, alérgico, alérgica, alergia, hospital, herido, herida, suicidio, embarazada, medicamento,
  تسمم, تسممت, حساسية, مستشفى, إسعاف, إصابة, انتحار, حامل, دواء`)

/** Words that say yes. "Sí" and "sì" differ from "si", which means "if", by their accent alone. */
export const AGREEMENT =
  /(?<!\p{L})(?:y(?:es|eah|ep|up)|sure|surely|of course|absolutely|definitely|certainly|exactly|indeed|correct|that's right|ja|jawohl|klar|natürlich|selbstverständlich|sicher|genau|auf jeden fall|oui|bien sûr|évidemment|absolument|tout à fait|certainement|exactement|sí|claro|por supuesto|desde luego|exacto|efectivamente|sì|certo|certamente|esatto|sim|evet|tabii|elbette|kesinlikle|zeker|natuurlijk|oczywiście|да|конечно|так|звичайно|نعم|أجل|بالتأكيد|أكيد|طبعا|بالطبع|بكل تأكيد)(?!\p{L})/iu

/** Words before what a sentence excludes. */
export const EXCEPTIONS =
  /\s(?=(?:except|excluding|but|only|außer|ausgenommen|nur|sauf|excepté|hors|excepto|salvo|menos|eccetto|tranne|إلا|باستثناء|ما عدا|hariç)\s)/iu

/** The stems of words that ask for, or take for granted, a promise or permission. */
export const ASSUMED =
  /^(?:confirm(?!ation)|agree|promis|refund|replac|reimburs|guarant|offer|allow|permit|approv|accept|compensat|exchang|letting|therefore|free$|dass$|bestatig(?!ung)|zusag|verspr|erstatt|ersetz|erlaub|kostenlos|genehmig|zuruckn|confirm(?!ation)|accept|promet|promis|rembours|offrir|offert|gratuit|permet|confirm|acept|promet|devolv|devuelv|reembols|permit|gratis|conferm|promess|rimbors|gratuit|اكد|أكد|تاكيد|تأكيد|وافق|موافق|وعد|استرداد|مجاني|مجانا|سمح|لان|onayla|soz$)/u

/** Returns the words of a text about harm and health. */
export const harmIn = (text: string): string[] => termsIn(text.replaceAll(/c(?:oe|œ)lia/giu, 'celia'), HARM)

/** Words that leave nothing out. */
export const ALL =
  /(?<!\p{L})(?:all|every|everything|everyone|always|anytime|whatever|alle[ns]?|allem|jede[nrsm]?|immer|sämtliche[nr]?|tous|toutes|chaque|toujours|todos|todas|cada|siempre|tutti|tutte|ogni|sempre|كل|جميع|لجميع|بجميع|دائما)(?!\p{L})/iu
