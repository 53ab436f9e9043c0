import { termsIn } from './words/rules.ts'

/** Words about how something did or will do. */
const RESULTS = `perform, performed, performing, performance, outperform, outperformed, engage, engaged, engaging, engagement, popular,
  popularity, viral, trending, proven, resonate, resonated, resonating, boost, boosted, boosting, did well, do well, does well,
  doing well, works well, worked well, did best, successful, read more than, more likes, more views, more clicks, more comments,
  more shares, more reach, more followers, most liked, most read, most shared, favorite, favourite, impressions, conversions,
  التفاعل, تفاعل, تفاعلا, يتفاعل, تتفاعل, يتفاعلون, أداء, شعبية, رائج, رائجة, ينتشر, انتشر, نجح, نجحت, ناجح, ناجحة, الأكثر قراءة,
  الأكثر مشاهدة, أكثر من غيره, أكثر من غيرها, مشاهدات, إعجابات, وصول أكبر,
  beliebt, beliebter, beliebteste, erfolgreich, kommt gut an, kommen gut an, kamen gut an, mehr gelesen, Reichweite, im Trend,
  populaire, populaires, tendance, fonctionne bien, fonctionnent bien, a plu, cartonne, plus lu, plus lus, plus vu, portée,
  exitoso, exitosa, éxito, tendencia, funciona bien, funcionan bien, gusta mucho, gustan mucho, más leído, se leyó más, alcance,
  popolare, popolari, di successo, tendenza, funziona bene, funzionano bene, piace molto, piacciono molto, più letto, più letti,
  bem-sucedido, sucesso, tendência, funcionam bem, mais lido, faz sucesso, engajamento,
  популярный, популярны, популярна, популярно, успешно, в тренде, вовлечённость, охват, читали больше,
  popüler, etkileşim, başarılı, trend, çok okundu, beğeniliyor,
  人気, 反響, 好評, バズ, 伸び, 多く読まれ, エンゲージメント, トレンド`

const PEOPLE = `audience, follower, reader, customer, fan, people, user, viewer, community, everyone, everybody, visitor, client,
  جمهور, جمهورك, جمهوركم, متابعوك, متابعيك, متابعوكم, متابعيكم, المتابعون, المتابعين, الناس, القراء, قراؤك, عملاؤك, العملاء, زبائنك, الجميع,
  Publikum, Leser, Leute, Kunden, Menschen, Zielgruppe, public, audience, abonnés, lecteurs, gens, clients, público, audiencia,
  seguidores, lectores, gente, clientes, leitores, pessoas, pubblico, lettori, clienti, persone, seguaci, аудитория, подписчики,
  читатели, люди, клиенты, takipçileriniz, takipçiler, okurlar, insanlar, müşteriler, kitleniz, フォロワー, 読者, 視聴者, お客様, みなさん, ファン`

const LIKING = `love, loved, like, liked, enjoy, enjoyed, adore, prefer, preferred, respond, responded, react, reacted, crave, want,
  wanted, يحب, يحبون, تحب, أحب, أحبوا, يعشق, يعشقون, يفضل, يفضلون, يهتم, يهتمون, يريد, يريدون, أعجب, قرأه, يعجبهم,
  liebt, lieben, liebte, mag, mögen, mochte, bevorzugt, bevorzugen, reagiert, reagieren, aime, aiment, adore, adorent, préfère,
  préfèrent, réagit, réagissent, ama, aman, adora, adoran, adoram, encanta, gusta, gustan, prefiere, prefieren, reacciona, gosta,
  gostam, prefere, preferem, amam, amano, adorano, preferisce, preferiscono, piace, piacciono, любит, любят, нравится, нравятся,
  предпочитает, предпочитают, sever, seviyor, seviyorlar, bayılıyor, ilgi gösteriyor, 好き, 好む, 好み, 喜ば, 反応`

const listOf = (words: string) => words.split(',').map((word) => word.trim())
const [results, people, liking] = [RESULTS, PEOPLE, LIKING].map(listOf) as [string[], string[], string[]]
const SHARE = /[\p{Nd}]\s*(?:[%٪×]|percent|per cent)|\btwice as\b/iu

/**
 * Whether a text claims how posts did or what people like, which nobody measured. Languages without words here are not
 * detected.
 */
export const claimsResult = (text: string): boolean =>
  SHARE.test(text) ||
  termsIn(text, results).length > 0 ||
  (termsIn(text, people).length > 0 && termsIn(text, liking).length > 0)
