// Runs before the first paint: a dark page never flashes white.
;(function () {
  var root = document.documentElement
  var wanted = null
  try {
    wanted = localStorage.getItem('parley.theme')
  } catch {
    wanted = null
  }
  var dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.classList.toggle('dark', dark)
  root.style.colorScheme = dark ? 'dark' : 'light'
})()
