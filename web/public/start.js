// Where the script of the app cannot be fetched the page would stay blank: it says so, and is loaded again once it can be.
addEventListener(
  'error',
  function (event) {
    var failed = event.target
    if (!failed || failed.tagName !== 'SCRIPT' || failed.type !== 'module') return
    var isArabic = document.documentElement.lang === 'ar'
    var screen = document.createElement('main')
    var told = document.createElement('div')
    told.setAttribute('role', 'alert')
    told.setAttribute('style', 'display:grid;justify-items:center;gap:12px;padding:30vh 24px;font:14px system-ui')
    var words = document.createElement('h1')
    words.setAttribute('style', 'margin:0;font:600 14px system-ui')
    words.textContent = isArabic ? 'تعذّر تحميل Parley' : 'Parley didn’t load'
    var button = document.createElement('button')
    button.textContent = isArabic ? 'إعادة المحاولة' : 'Retry'
    button.setAttribute(
      'style',
      'min-height:44px;padding:0 16px;font:inherit;color:inherit;background:none;border:1px solid;border-radius:6px',
    )
    button.onclick = function () {
      location.reload()
    }
    told.append(words, button)
    screen.append(told)
    document.getElementById('root').replaceChildren(screen)
    setInterval(function () {
      fetch(failed.src, { method: 'HEAD', cache: 'no-store' }).then(
        function (answer) {
          if (answer.ok) location.reload()
        },
        function () {},
      )
    }, 3000)
  },
  true,
)
