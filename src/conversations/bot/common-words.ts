import { wordsOf } from '../../assistant/ai/words/rules.ts'

/** Common words, which do not tell what a question is about. */
const WORDS = `a an and any are ask been but can could did does doing done for from get got had has have hello help her here hey him his how
  into its just know let like many may might more most much must need not now off one our out please really say see she should some
  tell than thank thanks that the their them then there these they this those too very want was way were what when where which who
  whom whose why will with would yes you your yours about also am at be by do good go i if in is it me my no of on or so to up us we
  want wants today okay still even ever guys re ll ve pm find finds take takes use used near come cost costs time times exactly roughly approximately long far price prices practice after before both during later earlier
  ab aber alle als also am an auch auf aus bei bin bis bitte da danke dann das dass dein deine dem den der des die dies diese dieser doch
  du ein eine einem einen einer er es euch euer eure fur gibt habe haben hallo hat hier ich ihr ihre im in ist ja kann kein keine konnen
  man mein meine mich mir mit mochte nach nicht noch nur ob oder ohne sehr sein sich sie sind so uber um und uns unser vom von war warum
  was welche wenn wer wie wieder wir wird wo zu zum zur habt hatte seid bist kannst konnt konnte darf durfen durft heute mal dich euren eurem
  uhr genau brauche brauchen kostet kosten einfach ungefähr etwa lange preis preise vorbeikommen moin servus offen damit dafür dabei nachher vorher lang seid kommt
  alors au aux avec avez bien bonjour ce cela ces cette comment dans de des dire dois donc du elle en est et etes etre eu fait il ils je
  la le les leur lui ma mais me mes moi mon ne nos notre nous ou par pas peut peux plus pour pouvez puis que quel quelle quelles quels
  qui quoi doit venir coute coutent avoir pouvez voulez voudrez sa sans ses aujourd hui heure heures si son sont salut passe prix partir sur ta te tes tres tu un une va vos votre vous veux voudrais merci quand
  al algo como con cual cuales cuando de del desde donde el ella ellos en entre era es esa ese eso esta estan estas este esto estos fue
  gracias ha hace hasta hay hola la las le les lo los mas me mi mis muy nada no nos o para pero por porque puede pueden puedo que quien
  quiero cerca entrar algun cuesta cuestan hoy hora horas ti se ser si sin sobre son su sus tambien te tengo tiene tienen tu tus un una uno unos usted ustedes y ya yo cuanto cuanta cuantos tiempo precio precios
  puo posso possiamo quanto quanta prezzo prezzi ciao ola merhaba selam kadar fiyat
  أن أنا أنت أنتم أي أين إذا إلى إن التي الذي اللي الى ان انا او أو بعد بكم تم ثم حتى حد عن عند عندكم عندي عندنا لدينا لنا بنا على علي غير في فيه قبل كان
  كانت كل كم كيف لا لدي لديكم لكم لكن لم لماذا لن لو ليس ما ماذا متى مرحبا مع من منذ نحن نعم هذا هذه هل هم هنا هو هي و وين يا يوجد
  ساعة الساعة أقدر أحتاج وقت سعر ذلك وبعد يمكن يمكنني أستطيع يجب يمكنكم يمكنك شكرا فضلك لو سمحت ممكن اريد أريد عايز ابغى`

export const COMMON: ReadonlySet<string> = new Set(wordsOf(WORDS))
