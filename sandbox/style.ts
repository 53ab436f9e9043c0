/** The icon of the sandbox in a browser tab. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#e0a800"/></svg>'

/** The style of all pages of the sandbox. They run no script and load nothing else. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef1f6; --card: #ffffff; --text: #1b2230; --soft: #586173; --line: #d5dbe6;
  --accent: #2a5bd7; --on-accent: #ffffff; --danger: #b3261e; --banner: #ffe9a8; --on-banner: #4a3600;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151c; --card: #1c212b; --text: #e8ecf4; --soft: #a4aebf; --line: #323a48;
    --accent: #8fb0ff; --on-accent: #0d1a3a; --danger: #ff9d95; --banner: #4a3a0c; --on-banner: #ffe9a8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
.banner { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; padding: .5rem 1rem; background: var(--banner); color: var(--on-banner); }
.banner a { color: inherit; font-weight: 700; }
.banner p { margin: 0; font-size: .875rem; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
.feed main, .dialog main { max-width: 34rem; }
h1 { font-size: 1.5rem; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 0; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; margin: 0 0 1rem; }
.soft { color: var(--soft); font-size: .875rem; margin: 0; }
.gap { margin: -.75rem 0 1rem; }
.head { display: flex; gap: .75rem; align-items: center; margin-bottom: .75rem; }
.spread .head { margin: 0; }
.head > div { min-width: 0; }
.head p { margin: 0; }
.head img { border-radius: 50%; flex: none; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 .75rem; }
.text:last-child { margin-bottom: 0; }
.link { display: block; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }
.pictures { display: grid; gap: 4px; grid-template-columns: repeat(auto-fit, minmax(45%, 1fr)); margin: 0 -1rem -1rem; overflow: hidden; border-radius: 0 0 11px 11px; }
.pictures img:nth-child(odd):last-child { grid-column: 1 / -1; }
.pictures img { display: block; width: 100%; height: 100%; max-height: 36rem; object-fit: cover; background: var(--ground); }
.pictures video { display: block; width: 100%; max-height: 36rem; background: #000; }
.plain { list-style: none; margin: 0; padding: 0; }
.plain > li { padding: .75rem 0; border-top: 1px solid var(--line); }
.plain > li:first-child { border-top: 0; }
.plain .plain { margin-left: 1rem; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.row > * { margin: 0; }
.spread { justify-content: space-between; align-items: center; }
.spread .gap { margin: -.75rem 0 1rem; }
.head { flex: 1 1 18rem; }
.card > form, .card > .plain + form { margin-top: .75rem; }
label { display: block; font-size: .875rem; }
label.check { display: flex; gap: .5rem; align-items: center; font-size: 1rem; padding: .25rem 0; }
.row > label.check { min-height: 2.5rem; padding: 0; font-size: .875rem; }
fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1rem; padding: .5rem 1rem; min-width: 0; }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 8px; padding: .4rem .6rem; max-width: 100%; min-height: 2.5rem; }
input[type=checkbox] { flex: none; min-height: 0; width: 1.125rem; height: 1.125rem; }
input[type=number] { width: 7rem; }
button { cursor: pointer; font-weight: 600; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.danger { color: var(--danger); border-color: var(--danger); }
.hid { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.chat { list-style: none; margin: .75rem 0; padding: 0; display: grid; gap: .75rem; }
.chat > li { display: grid; gap: .125rem; justify-items: start; min-width: 0; }
.chat > .mine { justify-items: end; }
.chat > .below { margin-inline-start: 2rem; }
.bubble { max-width: min(34rem, 88%); padding: .5rem .75rem; border-radius: 14px; background: var(--ground); }
.mine > .bubble { background: var(--accent); color: var(--on-accent); }
.mine > .bubble a { color: inherit; }
.bubble img { display: block; border-radius: 8px; background: var(--line); object-fit: cover; max-width: 100%; height: auto; margin: .25rem 0; }
details { max-width: 100%; }
details[open] { display: grid; gap: .75rem; width: 100%; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; }
details > * + * { margin-top: .75rem; }
summary { cursor: pointer; font-size: .875rem; color: var(--soft); padding: .25rem 0; min-height: 2rem; }
.compose { margin-top: .75rem; }
.compose + form { margin-top: .5rem; }
.compose .grow { flex: 1 1 12rem; }
.compose .name { flex: 0 1 11rem; }
.compose input { width: 100%; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; min-width: 36rem; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-top: 1px solid var(--line); }
code { font-size: .875rem; overflow-wrap: anywhere; }
`
