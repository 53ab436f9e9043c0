// Loads what the first screen needs together with the app. The build fills in the lists.
;(function (base, files, screens) {
  var path = location.pathname.slice(base.length - 1)
  var screen = screens.find(function (one) {
    return new RegExp('^' + one[0]).test(path)
  })
  if (!screen) return
  var isKnown = true
  try {
    isKnown = localStorage.getItem('parley.known') !== null
  } catch {
    isKnown = false
  }
  if (screen[1] && isKnown) {
    // The app takes over the response, and handles a failure.
    window.parleyRefresh = fetch('/api/v1/auth/refresh', { method: 'POST', headers: { accept: 'application/json' } })
    window.parleyRefresh.catch(function () {})
  }
  var texts = document.documentElement.lang === 'ar' ? screen[4] : screen[3]
  screen[2].concat(texts).forEach(function (number) {
    var link = document.createElement('link')
    link.rel = 'modulepreload'
    link.crossOrigin = ''
    link.href = base + files[number]
    document.head.append(link)
  })
})('BASE', 'FILES', 'SCREENS')
