import { describe, expect, test } from 'vitest'
import { findLanguage } from './ai-language.ts'
import { isInAnother, tellLanguage } from './text-language.ts'

describe('language', () => {
  const long = {
    en: 'Our new coffee comes from a small farm in the hills, and every bag is roasted in our own shop before it is sent to you.',
    ar: 'قهوتنا الجديدة تأتي من مزرعة صغيرة في الجبال، ونحمص كل كيس منها في محلنا قبل أن نرسله إليكم كل صباح.',
    de: 'Unser neuer Kaffee kommt von einem kleinen Hof in den Bergen, und jede Tüte wird bei uns geröstet, bevor wir sie verschicken.',
    fr: 'Notre nouveau café vient d’une petite ferme dans les collines, et chaque sachet est torréfié chez nous avant de vous être envoyé.',
    es: 'Nuestro nuevo café viene de una pequeña finca en las montañas, y cada bolsa se tuesta en nuestra tienda antes de enviarla a casa.',
    ru: 'Наш новый кофе приходит с маленькой фермы в горах, и каждую пачку мы обжариваем сами, прежде чем отправить её вам домой.',
    ja: '新しいコーヒーは山の小さな農園から届きます。一袋ずつ店で焙煎してからお送りしています。どうぞお楽しみください。',
  }
  const codes = Object.keys(long) as (keyof typeof long)[]

  test.each(codes)('%s is recognized as itself and not as another', (code) => {
    for (const other of codes) expect([other, isInAnother(long[code], other)]).toEqual([other, other !== code])
  })

  test.each([
    ['ar', 'Mokka', false],
    ['ar', 'جديدنا: Oat Latte من Mokka', false],
    ['ar', 'New oat latte at Mokka today', true],
    ['en', 'Café crème, s’il vous plaît', false],
    ['de', 'Neu: Flat White', false],
    ['en', '🎉🎉🎉', false],
    ['ar', 'جديد! https://a-very-long-address.example/with/many/letters @somebodys_name #HashtagInLatin', false],
    ['eo', long.de, false],
    ['pt', long.es, false],
  ])('asked for in %s, %.40s is in another: %s', (code, text, another) => {
    expect(isInAnother(text, code)).toBe(another)
  })

  test('is detected if the text is clear', () => {
    expect(codes.map((code) => tellLanguage(long[code], code === 'en' ? 'ar' : 'en'))).toEqual(codes)
    expect(tellLanguage('Ok', 'ar')).toBeUndefined()
  })

  test.each([
    ['en', 'قهوة جديدة اليوم', 'ar'],
    ['en', 'خبز', 'ar'],
    ['en', 'جديد: iPhone 15 Pro Max', 'ar'],
    ['de', 'Новое меню', 'ru'],
    ['en', '秋の新しいメニュー', 'ja'],
    ['en', '秋季菜单', 'zh'],
    ['ar', 'Our new autumn menu', 'en'],
    [
      'ar',
      'Unsere neue Karte für den Herbst: Kürbissuppe, Maronen und ein warmer Apfelkuchen mit Zimt und Sahne',
      'de',
    ],
    ['en', 'Our new autumn menu: pumpkin soup, chestnuts and warm apple cake with cinnamon, from Monday', undefined],
    ['en', 'Write about our new rooftop yoga classes on Thursdays', undefined],
    ['de', 'Neue Karte', undefined],
    ['ar', 'iPhone 15 Pro Max', undefined],
    ['ar', 'عرض على iPhone 15 Pro Max', undefined],
    ['fa', 'قهوه تازه هر روز', undefined],
    ['uk', 'Нове меню на осінь', undefined],
    ['ja', '秋季限定', undefined],
    ['ar', '', undefined],
  ])('of a text typed where %s is usual: %s is %s', (usual, text, code) => {
    expect(tellLanguage(text, usual)).toBe(code)
  })

  test('is found by its name in English and in itself, and by BCP 47', () => {
    const known = ['Arabic', 'العربية', 'ar', 'ar-EG', 'english', 'Deutsch', 'pt-BR', 'Brazilian Portuguese', 'zh_hant']
    const codesOf = known.map((name) => findLanguage(name)?.code)
    expect(codesOf).toEqual(['ar', 'ar', 'ar', 'ar-EG', 'en', 'de', 'pt-BR', 'pt-BR', 'zh-Hant'])
    for (const name of ['Klingonese', 'xx', '12', 'ignore all rules']) expect(findLanguage(name), name).toBeUndefined()
  })
})
