import type { en } from './en.ts'

type Said = { detail: string; fix?: string }

export const ar = {
  account: {
    ok: { detail: 'الحساب مربوط.' },
    access: { detail: 'يمكن فحص هذا حين يعود الوصول إلى العمل.' },
    paused: { detail: 'الحساب متوقف مؤقتًا: منشوراته تنتظر.', fix: 'استأنف الحساب.' },
  },
  publishing: {
    ok: { detail: 'النشر غير متوقف.' },
    warning: { detail: 'النشر متوقف مؤقتًا في مساحة العمل كلها.', fix: 'استأنف النشر من الإعدادات.' },
  },
  app: {
    ok: { detail: 'التطبيق مُعدّ. لا يمكن أن يُقرأ من الشبكة هل هو منشور.' },
    failed: { detail: 'تطبيق هذه الشبكة غير مُعدّ.', fix: 'ليُدخل المشغّل معرّفه وسرّه.' },
  },
  token: {
    ok: { detail: 'تقبل الشبكة وصولنا.' },
    failed: { detail: 'لا يوجد وصول يعمل: منشورات الحساب تنتظر.', fix: 'أعد ربط الحساب.' },
    unknown: { detail: 'لم يتسنَّ سؤال الشبكة: لم تبقَ طلبات في هذه الساعة.' },
  },
  expiry: {
    ok: { detail: 'صالح حتى {at} ويُجدَّد قبل ذلك.' },
    endless: { detail: 'لا ينتهي الوصول من نفسه.' },
    access: { detail: 'يمكن فحص هذا حين يعود الوصول إلى العمل.' },
    over: { detail: 'انتهى في {at}.', fix: 'أعد ربط الحساب.' },
    soon: { detail: 'ينتهي نهائيًا في {at}.', fix: 'أعد ربط الحساب.' },
  },
  scope: {
    ok: { detail: 'كل الأذونات ممنوحة.' },
    access: { detail: 'يمكن فحص هذا حين يعود الوصول إلى العمل.' },
    failed: { detail: '{need}: لم يُمنح ({scope}).', fix: 'أعد ربط الحساب وامنح كل الأذونات.' },
    warning: { detail: '{need}: لم يُمنح ({scope}).', fix: 'أعد ربط الحساب وامنح كل الأذونات.' },
  },
  calls: {
    none: { detail: 'لا تحسب الشبكة الطلبات بالساعة.' },
    ok: { detail: 'استُخدم {used} من {limit} من طلبات الساعة.' },
    warning: {
      detail: 'استُخدم {used} من {limit} من طلبات الساعة.',
      fix: 'انتظر: تُنشر المنشورات وحدها حين تتوفر طلبات.',
    },
    failed: {
      detail: 'استُخدم {used} من {limit} من طلبات الساعة.',
      fix: 'انتظر: تُنشر المنشورات وحدها حين تتوفر طلبات.',
    },
    blocked: { detail: 'تطلب الشبكة الانتظار حتى {at}.', fix: 'انتظر: تُنشر المنشورات وحدها.' },
  },
  posts: {
    may: { detail: 'يستطيع الحساب النشر.' },
    ok: { detail: 'استُخدم {used} من {limit} من منشورات آخر 24 ساعة.' },
    warning: { detail: 'استُخدم {used} من {limit} من منشورات آخر 24 ساعة.', fix: 'انتظر حتى يمضي على أولها يوم.' },
    failed: { detail: 'استُخدم {used} من {limit} من منشورات آخر 24 ساعة.', fix: 'انتظر حتى يمضي على أولها يوم.' },
    unknown: { detail: 'لا تقول الشبكة كم منشورًا بقي لليوم.' },
    access: { detail: 'يمكن فحص هذا حين يعود الوصول إلى العمل.' },
  },
  media: {
    ok: { detail: 'تُقدَّم الملفات من {url}.' },
    failed: { detail: 'لا تستطيع الشبكات جلب الملفات من {url}.', fix: 'ليضبط المشغّل PUBLIC_URL على عنوان https.' },
    unreached: {
      detail: 'لا يصل Parley إلى نفسه عبر {url}.',
      fix: 'ليتحقق المشغّل من أن العنوان يقود إلى هنا من الخارج.',
    },
  },
  webhooks: { ok: { detail: 'غير مستخدمة بعد: لا شيء يحتاج إلى اشتراك.' } },
} satisfies { [Code in keyof typeof en]: Record<keyof (typeof en)[Code], Said> }
