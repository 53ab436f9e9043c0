import type { FindingCode } from './en.ts'

export const ar = {
  no_target: { message: 'لم يُحدَّد أي حساب.', fix: 'اختر الحسابات التي تريد النشر عليها.' },
  approval_outstanding: { message: 'لم تتم الموافقة عليه بعد.', fix: 'احصل على الموافقة قبل الوقت المحدّد.' },
  time_passed: { message: 'تمت الموافقة عليه، لكن موعده فات.', fix: 'اختر وقتًا جديدًا.' },
  network_quota: {
    message: 'المنشورات كثيرة على {account} خلال 24 ساعة، ولا يسمح {network} إلا بنحو {limit}.',
    fix: 'اختر يومًا آخر، وإلا فسينتظر المنشور إلى أن تسمح به الشبكة.',
  },
  same_text: {
    message: 'يوجد منشور آخر بالنص نفسه على {account} خلال 30 يومًا.',
    fix: 'افتح المنشور الآخر ثم غيّر هذا النص أو أبقه كما هو.',
  },
  same_text_refused: {
    message: 'يوجد منشور آخر بالنص نفسه على {account} خلال 30 يومًا. يرفض {network} المنشورات المكررة.',
    fix: 'غيّر النص، وإلا فسيفشل نشر هذا المنشور على الأرجح.',
  },
  token_ends: { message: 'تنتهي صلاحية الوصول إلى {account} قبل الوقت المحدّد.', fix: 'أعد ربط الحساب قبل ذلك.' },
  reconnect_needed: { message: 'أعد ربط {account}.', fix: 'لم يعد بإمكان Parley الوصول إليه، لذا عُلّق نشر منشوراته.' },
  account_paused: { message: '{account} متوقف مؤقتًا.', fix: 'استأنف الحساب.' },
  scope_missing: {
    message: 'لا يمكن النشر على {account} لأن أحد الأذونات ناقص.',
    fix: 'أعد ربط الحساب وامنح كل الأذونات.',
  },
  text_too_long: { message: 'النص أطول مما يسمح به {network} (الحد الأقصى: {limit}).', fix: 'اختصر النص.' },
  too_many_hashtags: {
    message: 'عدد الوسوم أكبر مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'أزل بعض الوسوم.',
  },
  too_many_mentions: {
    message: 'عدد الإشارات أكبر مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'أزل بعض الإشارات.',
  },
  empty: { message: 'المنشور فارغ.', fix: 'اكتب نصًا أو أضف صورة أو فيديو.' },
  media_required: { message: 'تحتاج منشورات {network} إلى صورة أو فيديو.', fix: 'أضف صورة أو فيديو.' },
  too_many_images: {
    message: 'عدد الصور أكبر مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'أزل بعض الصور من منشور هذه الشبكة أو من كل الشبكات.',
  },
  too_many_videos: {
    message: 'عدد الفيديوهات أكبر مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'أزل بعض الفيديوهات من منشور هذه الشبكة أو من كل الشبكات.',
  },
  mixed_media: {
    message: 'لا يسمح {network} بصور وفيديو في منشور واحد.',
    fix: 'أزل الصور أو الفيديو من منشور هذه الشبكة.',
  },
  too_many_media: {
    message: 'عدد الصور والفيديوهات أكبر مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'أزل بعضها من منشور هذه الشبكة أو من كل الشبكات.',
  },
  text_not_shown: {
    message: 'لا يظهر النص في القصص. لن يرى الناس إلا الصورة أو الفيديو.',
    fix: 'ضع النص داخل الصورة، أو اتركها كما هي.',
  },
  crop_beyond: {
    message: 'الجزء المختار من {value} يتجاوز حدود الصورة.',
    fix: 'اقتصّ الصورة مجددًا.',
  },
  cover_beyond: {
    message: 'الغلاف عند الثانية {value}، لكن مدة الفيديو {limit} ث.',
    fix: 'اختر غلافًا آخر.',
  },
  comment_not_possible: { message: 'لا يمكن إضافة تعليق أول إلى القصص.', fix: 'أزل التعليق الأول.' },
  comment_too_long: {
    message: 'التعليق الأول أطول مما يسمح به {network} (الحد الأقصى: {limit}).',
    fix: 'اختصر التعليق.',
  },
  comment_scope_missing: {
    message: 'لا يمكن التعليق باسم {account} لأن أحد الأذونات ناقص.',
    fix: 'أعد ربط الحساب وامنح كل الأذونات، وإلا فسيُنشر المنشور من دون التعليق.',
  },
  ai_not_marked: {
    message: '‏{value} من إنشاء الذكاء الاصطناعي، ولا يوفّر {network} علامة لذلك.',
    fix: 'اذكر ذلك في النص.',
  },
  animation_lost: {
    message: '‏{network} يعرض صور GIF ثابتة. إذا كانت {value} متحركة فلن تظهر حركتها.',
    fix: 'ارفعها كفيديو إذا أردت أن تتحرك.',
  },
  media_not_public: {
    message: 'لا تستطيع الشبكات تنزيل الملفات من هذا الخادم.',
    fix: 'اطلب من مسؤول Parley ضبط PUBLIC_URL على عنوان https عام.',
  },
  media_processing: { message: 'لا يزال {value} قيد المعالجة.', fix: 'سيصبح جاهزًا بعد لحظات.' },
  media_rejected: { message: 'لا يمكن استخدام {value}.', fix: 'استبدل الملف.' },
  kind_not_accepted: { message: 'لا يقبل {network} الملف {value}.', fix: 'أزله من منشور هذه الشبكة.' },
  format_not_accepted: { message: 'لا يقبل {network} نوع الملف {value}.', fix: 'استخدم نوعًا آخر.' },
  file_too_large: { message: 'الملف أكبر مما يسمح به {network}.', fix: 'استخدم ملفًا أصغر.' },
  aspect_not_accepted: {
    message: 'لا يقبل {network} نسبة أبعاد الملف ({value}).',
    fix: 'اقتصّ الصورة أو استخدم ملفًا آخر.',
  },
  size_not_accepted: {
    message: 'لا يقبل {network} أبعاد الملف ({value} بكسل، والحد {limit}).',
    fix: 'غيّر أبعاده ثم ارفعه من جديد.',
  },
  codec_not_accepted: { message: 'لا يقبل {network} ترميز الفيديو ({value}).', fix: 'صدّره بترميز H.264.' },
  duration_not_accepted: {
    message: 'الفيديو أطول أو أقصر مما يسمح به {network} (المدة {value} ث، والحد {limit} ث).',
    fix: 'إذا تجاوز الفيديو الحد فقصّه، وإلا فاستخدم فيديو أطول.',
  },
  frame_rate_not_accepted: {
    message: 'لا يقبل {network} معدّل إطارات الفيديو ({value} إطار/ث، والحد {limit}).',
    fix: 'صدّره بمعدّل إطارات آخر.',
  },
  privacy_required: { message: 'اختر من يمكنه رؤية هذا المنشور.', fix: 'يشترط {network} ذلك لكل منشور.' },
  privacy_not_accepted: {
    message: 'لا يمكن أن تكون الشراكة المدفوعة مرئية لك وحدك.',
    fix: 'اختر جمهورًا آخر، أو أوقف الشراكة المدفوعة.',
  },
  consent_required: { message: 'اقبل شروط الموسيقى لدى {network}.', fix: 'يشترط {network} ذلك قبل النشر.' },
} satisfies Record<FindingCode, { message: string; fix: string }>
