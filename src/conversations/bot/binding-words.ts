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

/** Money and gifts. A cited passage can allow them. */
export const OFFERS =
  listOf(`free, for free, free of charge, gratis, complimentary, on the house, no charge, gift, voucher, coupon,
  promo code, discount, discounted, rebate, markdown, half price, price match, refund, refunded, reimburse, reimbursed, money back,
  compensation, compensate, credit note, store credit, waive, waived, warranty, liability, liable,
  kostenlos, kostenfrei, umsonst, geschenk, gutschein, rabatt, nachlass, ermäßigung, halber preis, erstattung, rückerstattung,
  erstattet, geld zurück, entschädigung, gutschrift, gewährleistung, haftung,
  gratuit, gratuite, gratuitement, offert, offerte, cadeau, bon d'achat, code promo, remise, réduction, rabais, moitié prix,
  remboursement, rembourser, remboursé, dédommagement, avoir,
  gratuito, gratuita, regalo, cupón, vale, código promocional, descuento, rebaja, mitad de precio, reembolso, reembolsar,
  devolución del dinero, compensación, indemnización,
  مجاني, مجانا, مجانية, هدية, قسيمة, كوبون, خصم, تخفيض, نصف السعر, استرداد, استرجاع المبلغ, رد المبلغ, تعويض, ضمان`)
