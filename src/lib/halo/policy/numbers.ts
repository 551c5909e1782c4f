/** Numbers with a check: payment cards (Luhn, ISO/IEC 7812-1) and bank accounts (IBAN, ISO 13616, mod 97). */

/** Does the last digit of a card number fit the others? */
export function luhn(digits: string): boolean {
  let sum = 0
  for (let i = digits.length - 1, double = false; i >= 0; i--, double = !double) {
    let digit = digits.charCodeAt(i) - 48
    if (double) digit = digit > 4 ? digit * 2 - 9 : digit * 2
    sum += digit
  }
  return sum % 10 === 0
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Card numbers of 13 to 19 digits, in one piece or in groups with single spaces or hyphens between them. */
export function creditCards(text: string): [number, number][] {
  const found: [number, number][] = []
  // A run: digits, and single separators between digits. Runs that are parts of words or decimals are no card numbers.
  for (const { 0: run, index } of text.matchAll(/\d+(?:[ -]\d+)*/g)) {
    if (run.length < 13) continue
    const positions: number[] = []
    for (let i = 0; i < run.length; i++) if (isDigit(run.charCodeAt(i))) positions.push(i)
    const startsGroup = (i: number): boolean => i === 0 || (positions[i - 1] ?? 0) + 1 !== positions[i]
    const endsGroup = (i: number): boolean => i === positions.length - 1 || (positions[i] ?? 0) + 1 !== positions[i + 1]
    for (let first = 0; first + 13 <= positions.length; first++) {
      if (!startsGroup(first)) continue
      for (let count = 19; count >= 13; count--) {
        const last = first + count - 1
        if (last >= positions.length || !endsGroup(last)) continue
        const digits = positions.slice(first, last + 1).map((i) => run[i]).join('')
        if (!luhn(digits) || /^0+$/.test(digits)) continue
        found.push([index + (positions[first] ?? 0), index + (positions[last] ?? 0) + 1])
        first = last
        break
      }
    }
  }
  return found
}

/** Length of an IBAN by country: the registry of SWIFT (release 99). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BI: 27, BR: 29, BY: 28, CH: 21, CR: 22, CY: 28, CZ: 24,
  DE: 22, DJ: 27, DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FK: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27,
  GT: 28, HN: 28, HR: 21, HU: 28, IE: 22, IL: 23, IQ: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LC: 32, LI: 21, LT: 20,
  LU: 20, LV: 21, LY: 25, MC: 27, MD: 24, ME: 22, MK: 19, MN: 20, MR: 27, MT: 31, MU: 30, NI: 28, NL: 18, NO: 15, OM: 23, PK: 24,
  PL: 28, PS: 29, PT: 25, QA: 29, RO: 24, RS: 22, RU: 33, SA: 24, SC: 31, SD: 18, SE: 24, SI: 19, SK: 24, SM: 27, SO: 23, ST: 25,
  SV: 28, TL: 23, TN: 24, TR: 26, UA: 29, VA: 22, VG: 24, XK: 20, YE: 30,
}

/** Is it an IBAN, written without spaces in upper case? */
export function isIban(text: string): boolean {
  if (IBAN_LENGTHS[text.slice(0, 2)] !== text.length) return false
  let rest = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = parseInt(character, 36)
    if (Number.isNaN(value)) return false
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** IBANs in one piece or in groups with single spaces or hyphens between them, in either case. */
export function ibans(text: string): [number, number][] {
  const found: [number, number][] = []
  let done = 0
  for (const { 0: head, index } of text.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g)) {
    if (index < done) continue
    const length = IBAN_LENGTHS[head.slice(0, 2).toUpperCase()]
    if (length === undefined) continue
    let iban = ''
    let to = index
    // At most twice its length is read: a separator stands after at least one character.
    for (; to < text.length && iban.length < length; to++) {
      const character = text.charAt(to)
      if (/[A-Za-z0-9]/.test(character)) iban += character
      else if (!/[ \u00a0-]/.test(character) || /[ \u00a0-]/.test(text.charAt(to - 1))) break
    }
    if (/[A-Za-z0-9]/.test(text.charAt(to)) || !isIban(iban.toUpperCase())) continue
    found.push([index, to])
    done = to
  }
  return found
}
