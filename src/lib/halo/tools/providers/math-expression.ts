/**
 * Arithmetic, evaluated as it is read. It knows numbers and the functions of its table and nothing else: no names to assign,
 * no lists, no loops, no properties. So each part takes a bounded time, and the limits below bound the whole to milliseconds;
 * it needs no worker that could be ended, and gives the same in a page and in Node.
 */
import { nearest } from '../../check/nearest.ts'
import { HaloError } from '../../errors.ts'
import { CONSTANTS, factorial, FUNCTIONS, NoValue } from './math-functions.ts'

const MAX_LENGTH = 10_000
const MAX_DEPTH = 200

const TOKEN = /\s*(?:((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_.]*)|(\*\*|[-+*/%^!(),×·÷−])|(\S))/uy
/** As people write and paste them. */
const SIGNS: ReadonlyMap<string, string> = new Map([['**', '^'], ['×', '*'], ['·', '*'], ['÷', '/'], ['−', '-']])

interface Token {
  kind: 'number' | 'name' | 'sign' | 'end'
  text: string
  /** From 1, for people. */
  at: number
}

export function evaluate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw fault(`The expression has ${expression.length} characters; at most ${MAX_LENGTH} are evaluated.`)
  return new Evaluation(expression).result()
}

const fault = (message: string): HaloError => new HaloError('TOOL_ERROR', message)

function tokens(expression: string): Token[] {
  const found: Token[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(expression); match !== null; match = TOKEN.exec(expression)) {
    const [, number, name, sign, other] = match
    const text = number ?? name ?? sign ?? other ?? ''
    const at = TOKEN.lastIndex - text.length + 1
    if (other !== undefined) throw fault(`The expression has ${JSON.stringify(other)} at character ${at}, which means nothing here.`)
    found.push({ kind: number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign', text: SIGNS.get(text) ?? text, at })
  }
  return [...found, { kind: 'end', text: '', at: expression.length + 1 }]
}

class Evaluation {
  readonly #tokens: Token[]
  #next = 0
  #depth = 0

  constructor(expression: string) {
    this.#tokens = tokens(expression)
  }

  result(): number {
    if (this.#ended()) throw fault('The expression is empty.')
    const value = this.#sum()
    if (!this.#ended()) throw this.#unexpected()
    // Minus zero is an accident of floating point.
    return value + 0
  }

  get #token(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: 0 }
  }

  #ended(): boolean {
    return this.#token.kind === 'end'
  }

  #accept(...signs: string[]): Token | undefined {
    const token = this.#token
    if (token.kind !== 'sign' || !signs.includes(token.text)) return undefined
    this.#next++
    return token
  }

  #unexpected(): HaloError {
    const { kind, text, at } = this.#token
    if (kind === 'end') return fault('The expression ends too early: a number, a function or a ")" is missing.')
    const before = this.#tokens[this.#next - 1]
    const value = before !== undefined && (before.kind !== 'sign' || before.text === ')' || before.text === '!')
    const product = value && (kind !== 'sign' || text === '(') ? ' Write products with *.' : ''
    return fault(`The expression has ${JSON.stringify(text)} at character ${at}, where it can't stand.${product}`)
  }

  #sum(): number {
    let value = this.#product()
    for (let sign = this.#accept('+', '-'); sign !== undefined; sign = this.#accept('+', '-')) {
      const right = this.#product()
      value = this.#finite(sign.text === '+' ? value + right : value - right, sign)
    }
    return value
  }

  #product(): number {
    let value = this.#signed()
    for (let sign = this.#accept('*', '/', '%'); sign !== undefined; sign = this.#accept('*', '/', '%')) {
      const right = this.#signed()
      if (right === 0 && sign.text !== '*') throw fault(`The expression divides by zero, at character ${sign.at}.`)
      value = this.#finite(sign.text === '*' ? value * right : sign.text === '/' ? value / right : value % right, sign)
    }
    return value
  }

  /** Binds less than a power: -2^2 is -4, and 2^-1 is a half. */
  #signed(): number {
    return this.#deeper(() => {
      const sign = this.#accept('+', '-')
      if (sign === undefined) return this.#power()
      return sign.text === '-' ? -this.#signed() : this.#signed()
    })
  }

  #power(): number {
    let value = this.#operand()
    for (let sign = this.#accept('!'); sign !== undefined; sign = this.#accept('!')) value = this.#apply('factorial', () => factorial(value), sign)
    const sign = this.#accept('^')
    if (sign === undefined) return value
    const exponent = this.#signed()
    if (value === 0 && exponent < 0) throw fault(`The expression divides by zero, at character ${sign.at}: 0 to a negative power.`)
    return this.#finite(value ** exponent, sign)
  }

  #operand(): number {
    const token = this.#token
    if (token.kind === 'number') {
      this.#next++
      return this.#finite(Number(token.text), token)
    }
    if (token.kind === 'name') {
      this.#next++
      return this.#named(token)
    }
    if (this.#accept('(') === undefined) throw this.#unexpected()
    const value = this.#sum()
    if (this.#accept(')') === undefined) throw this.#unexpected()
    return value
  }

  #named(token: Token): number {
    const name = token.text.toLowerCase()
    const calls = this.#token.kind === 'sign' && this.#token.text === '('
    const constant = CONSTANTS.get(name)
    if (!calls && constant !== undefined) return constant
    const known = FUNCTIONS.get(name)
    if (known === undefined) {
      const near = nearest(name, [...FUNCTIONS.keys(), ...CONSTANTS.keys()])
      throw fault(`The expression has ${JSON.stringify(token.text)} at character ${token.at}, which is no ${calls ? 'function' : 'name'} that is known here.${near === undefined ? '' : ` Did you mean ${near}?`}`)
    }
    if (this.#accept('(') === undefined) throw fault(`${name} at character ${token.at} is a function: write ${name}(…).`)
    const values: number[] = []
    if (this.#accept(')') === undefined) {
      do values.push(this.#sum())
      while (this.#accept(',') !== undefined)
      if (this.#accept(')') === undefined) throw this.#unexpected()
    }
    const [least, most] = known.takes
    if (values.length < least || values.length > most) {
      const wanted = least === most ? least : most === Infinity ? `at least ${least}` : `${least} to ${most}`
      throw fault(`${name} at character ${token.at} takes ${wanted} argument${wanted === 1 ? '' : 's'}, not ${values.length}.`)
    }
    return this.#apply(name, () => known.of(...values), token)
  }

  #apply(name: string, of: () => number, token: Token): number {
    try {
      return this.#finite(of(), token, name)
    } catch (error) {
      if (error instanceof NoValue) throw fault(`${error.message} (at character ${token.at}).`)
      throw error
    }
  }

  #finite(value: number, { text, at }: Token, name = text): number {
    if (Number.isNaN(value)) throw fault(`${name} at character ${at} has no real value for what it is given.`)
    if (!Number.isFinite(value)) throw fault(`What ${name} at character ${at} gives is beyond the numbers of 64 bits (1.8e308), or infinite.`)
    return value
  }

  #deeper(within: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw fault(`The expression is nested more than ${MAX_DEPTH} deep, at character ${this.#token.at}.`)
    const value = within()
    this.#depth--
    return value
  }
}
