import { wordsOf } from '../../assistant/ai/words/rules.ts'

// Words in a reply that commit the brand to something, in the languages that tests cover.

const listOf = (words: string) => words.split(',').map((word) => word.trim())

/** Promises. No passage of the knowledge can allow them. */
export const COMMITMENTS =
  listOf(`I will, I'll, we will, we'll, I am going to, I'm going to, we are going to, we're going to,
  I promise, we promise, promise you, guarantee, guaranteed, I guarantee, we guarantee, let me check, I have checked, I've checked,
  I have arranged, I've arranged, I have refunded, I've refunded, I have sent, I've sent, I have booked, I've booked,
  I have cancelled, I've cancelled, we have refunded, has been refunded, has been cancelled, has been canceled, has been shipped,
  has been booked, has been approved, you have my word, rest assured, will be refunded, will get back to you, will call you,
  will contact you, will reach out,
  ich werde, wir werden, ich verspreche, wir versprechen, garantiert, garantieren, garantiere, ich habe erstattet, wurde erstattet,
  wurde storniert, wurde versandt, wird erstattet, ich kümmere mich, wir kümmern uns, ich melde mich, wir melden uns, versprochen,
  je vais, nous allons, je promets, nous promettons, garanti, garantie, garantissons, je garantis, a été remboursé,
  a été annulé, a été expédié, sera remboursé, je vous recontacte, nous vous recontacterons, je m'en occupe, nous nous en occupons,
  voy a, vamos a, prometo, prometemos, garantizo, garantizamos, garantizado, ha sido reembolsado, ha sido cancelado, ha sido enviado,
  será reembolsado, me encargo, nos encargamos, le llamaremos, te llamaremos, nos pondremos en contacto,
  سأقوم, سوف أقوم, سنقوم, سوف نقوم, أعدك, نعدك, أعدكم, نعدكم, أضمن, نضمن, مضمون, مضمونة, سأتحقق, سنتحقق, سنتواصل, سأتواصل, سنتصل,
  سأتصل, تم استرداد, تم إلغاء, تم شحن, تم إرسال, سيتم استرداد, سيتم رد`)

/** Money, gifts and fast delivery. A cited passage can allow them. */
export const OFFERS =
  listOf(`at no cost, no cost, half off, third off, quarter off, our treat, at our expense, within a day, within an hour,
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
