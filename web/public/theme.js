// Runs before the first paint: a dark page never flashes white, and one from right to left never jumps.
;(function () {
  var root = document.documentElement
  var wanted = null
  var language = null
  try {
    wanted = localStorage.getItem('parley.theme')
    language = localStorage.getItem('parley.language')
    if (localStorage.getItem('parley.density') === 'compact') root.dataset.density = 'compact'
  } catch {
    wanted = null
  }
  if (language === 'ar' || (!language && /^ar\b/.test(navigator.language))) {
    root.lang = 'ar'
    root.dir = 'rtl'
  }
  var dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.classList.toggle('dark', dark)
  root.style.colorScheme = dark ? 'dark' : 'light'
})()
