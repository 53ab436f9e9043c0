import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROLES } from '../../src/core/http/endpoint.ts'
import { en as doctorTexts } from '../../src/core/texts/doctor/en.ts'
import { errors } from '../../src/core/errors.ts'
import { en as findingTexts } from '../../src/core/texts/findings/en.ts'
import { en as rejectionTexts } from '../../src/core/texts/rejections/en.ts'
import { jobs } from '../../src/core/platform/job-names.ts'
import { VETOES } from '../../src/conversations/bot/checks.ts'
import { BotConfigChange } from '../../src/conversations/bot/config/api.ts'
import { ar } from '../../web/locales/ar.ts'
import { en } from '../../web/locales/en.ts'
import { recordedIn } from '../recorded.ts'

// Checks every text in every language. Types guarantee equal keys, and these tests check the texts.

type Tree = { [key: string]: string | Tree }
const flat = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : flat(value, `${path}${key}.`),
  )
const english = new Map(flat(en))
const arabic = new Map(flat(ar))

const argumentsOf = (text: string) => new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name))
const tagsOf = (text: string) => new Set([...text.matchAll(/<(\w+)>/g)].map(([, name]) => name))

describe('both languages', () => {
  test('use one word for retrying a target', () => {
    const acts = ['post.retry', 'post.retryNow', 'post.retryAll', 'bulk.retry', 'composer.tryAgainOn']
    for (const key of acts) {
      expect([key, english.get(key)]).toEqual([key, expect.stringMatching(/^Retry\b/)])
      expect([key, arabic.get(key)]).toEqual([key, expect.stringMatching(/إعادة (?:ال)?محاولة/)])
    }
    const history = [...english].filter(([key]) => key.startsWith('audit.actions.'))
    expect(history.filter(([, text]) => /tried again|try again/i.test(text))).toEqual([])
  })
})

describe('Arabic', () => {
  test('has the same placeholders as English', () => {
    for (const [key, text] of english) {
      expect([key, argumentsOf(arabic.get(key) ?? '')]).toEqual([key, argumentsOf(text)])
      expect([key, tagsOf(arabic.get(key) ?? '')]).toEqual([key, tagsOf(text)])
    }
  })

  test('has a form for each plural category of the language', () => {
    const kinds = new Intl.PluralRules('ar').resolvedOptions().pluralCategories.filter((kind) => kind !== 'zero')
    for (const [key, text] of arabic) {
      for (const [, choices] of text.matchAll(/, plural,((?:[^{}]|\{[^{}]*\})*)\}/g)) {
        for (const kind of kinds)
          expect([key, choices]).toEqual([key, expect.stringMatching(new RegExp(`\\b${kind} \\{`))])
      }
    }
  })

  test('is translated: only names are the same as in English', () => {
    const same = [...english].filter(
      ([key, text]) => arabic.get(key) === text && /[a-z]{4}/i.test(text.replaceAll(/\{\w+\}/g, '')),
    )
    expect(same).toEqual([])
  })

  test('uses one term for a call to action', () => {
    expect([...arabic].filter(([, text]) => /دعو(?:ة|ات) إلى (?:ال)?فعل/.test(text))).toEqual([])
  })

  const source = (path: string) => readFileSync(join(import.meta.dirname, '../../src', path), 'utf8')
  const found = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, code]) => code))

  test('uses no placeholder that findings or rejections do not provide', () => {
    for (const [code, { message, fix }] of Object.entries(ar.checks)) {
      const places = [...argumentsOf(message), ...argumentsOf(fix)]
      expect([code, places.filter((name) => !['limit', 'value', 'account', 'network'].includes(String(name)))]).toEqual(
        [code, []],
      )
    }
    expect(Object.values(ar.rejections).flatMap((text) => [...argumentsOf(text)])).toEqual([])
  })

  test('and English describe every state that the doctor of an account can find', () => {
    const doctor = source('channels/accounts-doctor.ts')
    const states = found(doctor, /state: '(\w+)'/g)
    expect(states.size).toBeGreaterThan(5)
    const known = Object.values(doctorTexts).flatMap((all) => Object.keys(all))
    expect([...states].filter((state) => !known.includes(String(state)))).toEqual([])
  })

  test('and English name every reason for which a check holds a reply', () => {
    for (const words of [en, ar]) expect(Object.keys(words.why.vetoes).toSorted()).toEqual([...VETOES].toSorted())
  })

  test('and English say why a decision ended without a reply', () => {
    const files = readdirSync(join(import.meta.dirname, '../../src/conversations'), { recursive: true }).map(String)
    const code = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => source(join('conversations', file)))
      .join('')
    const meanwhile = code.slice(code.indexOf('function changedMeanwhile'))
    const ends = [...code.matchAll(/\bsupersede(?:Decisions)?\(tx, [\w.]+, '([^']+)'/g)].map(
      ([, why]) => `newer_message.${why}`,
    )
    const changes = [...meanwhile.matchAll(/why: '([^']+)'/g)].map(([, why]) => `again.${why}`)
    const states = ['CLOSED', 'ESCALATED'].map((status) => `again.the thread is ${status}`)
    expect([ends.length, changes.length]).toEqual([6, 6])
    for (const step of [...ends, ...changes, ...states]) {
      const key = `why.steps.${step.toLowerCase().replaceAll(' ', '_')}`
      for (const texts of [english, arabic]) expect([key, texts.has(key)]).toEqual([key, true])
    }
  })

  test('names every queue', () => {
    const queues = ['publish', 'schedule', 'first-comment', 'removal', 'answer', ...Object.keys(jobs)]
    expect(Object.keys(ar.admin.queueNames).toSorted()).toEqual(queues.toSorted())
  })

  test('says every refusal that a person can meet', () => {
    // Met only by programs that call the API, by networks and by the browser itself.
    const unseen = [
      'malformed_json', // the app sends JSON that parses
      'malformed_request',
      'token_expired', // the app renews the session, or shows the sign-in
      'refresh_invalid',
      'signature_invalid', // webhooks of networks
      'verify_token_invalid',
      'origin_refused', // other sites
      'unknown_provider', // the app offers only known ones
      'method_not_allowed',
      'tus_version', // the protocol of resumable uploads
      'validation_failed', // its faults are said
      'idempotency_key_reused', // the app makes a new key for each request
      'workspace_mismatch',
    ]
    const seen = Object.keys(errors).filter((code) => !unseen.includes(code))
    expect(seen.filter((code) => !(code in ar.problems))).toEqual([])
    // The titles of these are written for programs.
    const technical = ['invalid_state', 'unavailable', 'outcome_unknown', 'stale_version', 'quota_exceeded']
    expect(technical.filter((code) => !(code in en.problems))).toEqual([])
  })

  test('says every fault of a value that a person enters', () => {
    // Codes that are no faults of a request: an outcome of one item, the word for a language, and codes of a delivery,
    // of a request to the AI, of the gate, and of a row of a table, which have their own texts.
    const ofGate = ['not_found', 'role_required', 'owner_required', 'feature_not_in_plan', 'quota_exceeded']
    const others = ['ok', 'en', 'no_target', 'interrupted', 'same_in_table', ...ofGate]
    const files = readdirSync(join(import.meta.dirname, '../../src'), { recursive: true }).map(String)
    const product = files.filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('core/texts/'))
    const codes = new Set<string>()
    for (const path of product) {
      const text = source(path)
      for (const [, code = ''] of text.matchAll(/\bcode: '([a-z_]+)'/g)) if (!others.includes(code)) codes.add(code)
      for (const [, code = ''] of text.matchAll(/\b(?:throw wrong|invalid\(fault|errors: \[fault)\('([a-z_]+)'/g))
        codes.add(code)
      for (const [, code = ''] of text.matchAll(/\bstringFormat\(\s*'(\w+_format)'/g)) codes.add(code)
      // `wrong_format` has one text for all formats, which would replace a sentence.
      if (path.endsWith('api.ts'))
        expect([path, /\.regex\(\s*\/[^\n]*\/[a-z]*,\s*(?:'|\{\s*error)/.exec(text)?.[0]]).toEqual([path, undefined])
    }
    // The faults of a schema.
    const schema = /function codeOf[\s\S]*?\n}/.exec(source('core/http/problem.ts'))?.[0] ?? ''
    for (const code of found(schema.replaceAll(/=== '\w+'|case '\w+'|\['\w+'\]/g, ''), /'(\w+)'/g))
      codes.add(code ?? '')
    expect(codes.size).toBeGreaterThan(60)
    const findings = new Set(Object.keys(findingTexts).map((key) => key.split('/')[0] ?? ''))
    const rejections = Object.keys(rejectionTexts).map((key) => key.split('/')[0] ?? '')

    expect([...codes].filter((code) => !findings.has(code) && !(code in ar.faults) && !(code in ar.refusals))).toEqual(
      [],
    )
    expect([...findings].filter((code) => !(code in ar.checks))).toEqual([])
    expect(rejections.filter((code) => !(code in ar.rejections))).toEqual([])
    // The service writes sentences for people, except for these, whose sentences name types and fields.
    const technical = ['wrong_type', 'wrong_format', 'not_allowed', 'unknown_field', 'read_only', 'ambiguous_target']
    expect(technical.filter((code) => !(code in en.faults) && !(code in en.refusals))).toEqual([])
    // No text is left of a code that is gone.
    const said = { ...en.faults, ...en.refusals, ...ar.faults, ...ar.refusals }
    expect(Object.keys(said).filter((code) => code !== 'account' && !codes.has(code))).toEqual([])
  })

  const wordsOf = (tree: Tree) => new Set(flat(tree).map(([key]) => key))

  test('describes everything in a workspace’s audit: actions, roles, plans and fields', () => {
    const actions = recordedIn(
      'team/workspaces',
      'team/plans',
      'team/labels',
      'channels',
      'delivery',
      'publishing',
      'assistant',
      'conversations',
      'insights',
    )
    actions.add('code.sent') // recorded there by an earlier version
    expect(actions.size).toBeGreaterThan(40)
    const fields = found(
      /const writable = \[([^\]]*)\]/.exec(source('team/workspaces/workspaces.ts'))?.[1] ?? '',
      /'(\w+)'/g,
    )
    expect(fields.size).toBeGreaterThan(5)
    const answered = ['paused', 'answeredElsewhere', 'version', 'updatedAt', 'updatedBy']
    for (const field of Object.keys(BotConfigChange.shape)) if (!answered.includes(field)) fields.add(field)
    for (const words of [en, ar]) {
      expect(wordsOf(words.audit.actions)).toEqual(actions)
      expect(wordsOf(words.audit.fields)).toEqual(fields)
      expect(new Set(Object.keys(words.states.roles))).toEqual(new Set(ROLES))
      const groups = [...actions].map((action) => action.split('.')[0])
      for (const group of Object.keys(words.audit.groups)) expect(groups).toContain(group)
    }
  })

  test('describes everything that operators do', () => {
    const actions = [...recordedIn('admin')].map((action) => action.replace('admin.', ''))
    expect(actions.length).toBeGreaterThan(10)
    for (const words of [en, ar]) expect([...wordsOf(words.admin.actions)]).toEqual(expect.arrayContaining(actions))
  })
})
