/** What Redact knows by name. Each reads a text once, from left to right, whatever it holds. */
import { creditCards, ibans } from './numbers.ts'

/** Ranges of a text that are such a thing, in order, none overlapping. */
export type Detector = (text: string) => [from: number, to: number][]

export const DETECTORS: Readonly<Record<string, Detector>> = {
  email: emails,
  phone: phones,
  credit_card: creditCards,
  iban: ibans,
  api_key: apiKeys,
  ip: addresses,
}

const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const DOMAIN = /[\p{L}\p{N}.-]/u

function emails(text: string): [number, number][] {
  const found: [number, number][] = []
  let done = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at
    // RFC 5321: at most 64 octets before the @, 255 after it.
    while (from > done && at - from < 64 && LOCAL.test(text.charAt(from - 1))) from--
    while (from < at && text[from] === '.') from++
    let to = at + 1
    while (to < text.length && to - at <= 255 && DOMAIN.test(text.charAt(to))) to++
    while (to > at + 1 && /[.-]/.test(text.charAt(to - 1))) to--
    const domain = text.slice(at + 1, to)
    if (from === at || !/^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(domain) || /\.\d+$/.test(domain)) continue
    found.push([from, to])
    done = to
    at = to - 1
  }
  return found
}

/**
 * Numbers written as telephone numbers: international ones with a + or 00, ten or eleven digits, in groups or not, and local
 * ones of three and four digits with a hyphen. Dates, addresses, decimals and longer numbers are left alone.
 */
function phones(text: string): [number, number][] {
  const found: [number, number][] = []
  // A run of digits with what people put between them. One separator, or a space beside a bracket or hyphen.
  const runs = /(?<![\w.+-])\+?\(?\d[\d\s().\u00a0\u2010-\u2015/-]{4,40}(?<=\d)(?![\w])/gu
  for (const { 0: run, index } of text.matchAll(runs)) {
    // Two numbers beside each other are one run: the longest part of whole groups that is a number counts.
    const other = [...run.matchAll(NO_PHONE)].map(({ 0: text, index: at }) => ({ from: at, to: at + text.length }))
    const groups = [...run.matchAll(/\+?\(?\d+/g)].map(({ 0: group, index: at }) => ({ from: at, to: at + group.length }))
    for (let first = 0; first < groups.length; first++) {
      const from = groups[first]?.from ?? 0
      const last = groups.findLastIndex(({ to }, i) => i >= first && isPhone(run.slice(from, to)) && !other.some((each) => each.from < to && from < each.to))
      if (last < 0) continue
      found.push([index + from, index + (groups[last]?.to ?? 0)])
      first = last
    }
  }
  return found
}

/** Addresses, decimals and dates, whose digits might look like a number. */
const NO_PHONE = /(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|\d+\.\d+|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?![\w.])/g

function isPhone(run: string): boolean {
  const digits = run.replace(/\D/g, '')
  if (/[\s().\-/]{4}/.test(run) || /\n/.test(run)) return false
  if (run.startsWith('+') || run.startsWith('00')) return digits.length >= 7 && digits.length <= 17
  if (/^\d{3}-\d{4}$/.test(run)) return true
  if (/^\d+$/.test(run)) return digits.length === 10 || (digits.length === 11 && /^[01]/.test(run))
  return digits.length >= 9 && digits.length <= 12 && /^(?:0|\(|\d{2,5}[\s.\-/(\u00a0\u2010-\u2015])/u.test(run)
}

/** How keys of well-known services begin, and how many characters they have at least after that. */
const PREFIXES: readonly (readonly [prefix: string, least: number])[] = [
  ['sk-', 16], ['sk_live_', 16], ['sk_test_', 16], ['pk_live_', 16], ['pk_test_', 16], ['rk_live_', 16], ['rk_test_', 16], ['whsec_', 16],
  ['ghp_', 30], ['gho_', 30], ['ghu_', 30], ['ghs_', 30], ['ghr_', 30], ['github_pat_', 30], ['glpat-', 16],
  ['xoxb-', 10], ['xoxp-', 10], ['xoxa-', 10], ['xoxr-', 10], ['xoxs-', 10], ['xapp-', 10],
  ['AKIA', 16], ['ASIA', 16], ['AIza', 30], ['ya29.', 16], ['hf_', 20], ['npm_', 30], ['pypi-', 16], ['SG.', 30], ['dop_v1_', 40],
  ['r8_', 30], ['gsk_', 30], ['xai-', 30], ['tvly-', 16], ['eyJ', 30],
]
const PREFIX = new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXES.map(([prefix]) => prefix.replace('.', '\\.')).join('|')})`, 'g')
const KEY = /[A-Za-z0-9_\-.]/

function apiKeys(text: string): [number, number][] {
  const found: [number, number][] = []
  let done = 0
  // Where the run of key characters that was read last ends: starts inside it needn't read it again.
  let runEnd = 0
  for (const { 0: prefix, index } of text.matchAll(PREFIX)) {
    if (index < done) continue
    const body = index + prefix.length
    if (runEnd < body) runEnd = body
    while (runEnd < text.length && KEY.test(text.charAt(runEnd))) runEnd++
    let to = runEnd
    while (to > body && /[.-]/.test(text.charAt(to - 1)) && to > body) to--
    const least = PREFIXES.find(([each]) => each === prefix)?.[1] ?? Infinity
    if (to - body < least) continue
    // A JSON Web Token has three parts.
    if (prefix === 'eyJ' && text.slice(body, to).split('.', 4).length !== 3) {
      done = to
      continue
    }
    found.push([index, to])
    done = to
  }
  return found
}

function addresses(text: string): [number, number][] {
  const found: [number, number][] = []
  for (const { 0: run, index } of text.matchAll(/(?<![\w:.])[0-9A-Fa-f:.]{2,}/g)) {
    const after = text.charAt(index + run.length)
    if (/[A-Za-z_]/.test(after)) continue
    const whole = run.replace(/[.:]+$/, (end) => (end.endsWith('::') && !run.includes('.') ? '::' : ''))
    if (whole.length <= 45 && isIPv6(whole)) {
      found.push([index, index + whole.length])
      continue
    }
    const v4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?![\d.])/.exec(run.replace(/\.$/, ''))?.[1]
    if (v4 !== undefined && isIPv4(v4)) found.push([index, index + v4.length])
  }
  return found
}

function isIPv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
}

function isIPv6(text: string): boolean {
  if (!text.includes(':') || !/[0-9A-Fa-f]/.test(text)) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  let size = groups.length
  if (last?.includes('.')) {
    if (!isIPv4(last)) return false
    groups.pop()
    size += 1
  }
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  return halves.length === 2 ? size <= 7 : size === 8
}
