/** What an expression of `Math()` can call. Each takes a time that its arguments don't change: none counts up to a number it is given. */

export interface MathFunction {
  /** How many arguments: from, to. */
  takes: [number, number]
  of(...numbers: number[]): number
}

/** Said of arguments for which a function has no value. */
export class NoValue extends Error {}

const one = (of: (x: number) => number): MathFunction => ({ takes: [1, 1], of })
const two = (of: (a: number, b: number) => number): MathFunction => ({ takes: [2, 2], of })
const some = (of: (...numbers: number[]) => number): MathFunction => ({ takes: [1, Infinity], of })

const sum = (...numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)
const mean = (...numbers: number[]): number => sum(...numbers) / numbers.length

function median(...numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

function whole(name: string, ...numbers: number[]): void {
  for (const n of numbers) if (!Number.isSafeInteger(n)) throw new NoValue(`${name} needs whole numbers up to 2^53, not ${n}`)
}

/** Beyond 170! there is no number of 64 bits. */
export function factorial(n: number): number {
  whole('factorial', n)
  if (n < 0) throw new NoValue(`factorial needs a number from 0 on, not ${n}`)
  if (n > 170) return Infinity
  let product = 1
  for (let i = 2; i <= n; i++) product *= i
  return product
}

function gcd(...numbers: number[]): number {
  whole('gcd', ...numbers)
  return numbers.map(Math.abs).reduce((a, b) => {
    while (b !== 0) [a, b] = [b, a % b]
    return a
  })
}

function lcm(...numbers: number[]): number {
  whole('lcm', ...numbers)
  return numbers.map(Math.abs).reduce((a, b) => {
    if (a === 0 || b === 0) return 0
    const least = (a / gcd(a, b)) * b
    if (!Number.isSafeInteger(least)) throw new NoValue('lcm is beyond 2^53')
    return least
  })
}

/** Both stop as soon as the product is beyond all numbers, so a large k costs nothing. */
function perm(n: number, k: number): number {
  chosen('perm', n, k)
  let product = 1
  for (let i = 0; i < k && product < Infinity; i++) product *= n - i
  return product
}
function comb(n: number, k: number): number {
  chosen('comb', n, k)
  const least = Math.min(k, n - k)
  let product = 1
  for (let i = 1; i <= least && product < Infinity; i++) {
    const next = product * (n - least + i)
    // A whole number at each step; where it is beyond 2^53 it is as near as 64 bits are.
    product = Number.isSafeInteger(next) ? next / i : (product / i) * (n - least + i)
    if (product <= Number.MAX_SAFE_INTEGER) product = Math.round(product)
  }
  return product
}
function chosen(name: string, n: number, k: number): void {
  whole(name, n, k)
  if (n < 0 || k < 0 || k > n) throw new NoValue(`${name}(n, k) needs 0 <= k <= n, not ${n} and ${k}`)
}

/** Half away from zero, by the digits that are written: round(1.005, 2) is 1.01. */
function round(x: number, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 20) throw new NoValue(`round needs from -20 to 20 digits, not ${digits}`)
  const [mantissa = '', exponent = '0'] = String(Math.abs(x)).split('e')
  const rounded = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`))
  const [m = '', e = '0'] = String(rounded).split('e')
  return Math.sign(x) * Number(`${m}e${Number(e) - digits}`)
}

function mod(a: number, b: number): number {
  if (b === 0) throw new NoValue('mod by 0')
  const rest = a % b
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest
}

function log(x: number, base?: number): number {
  if (base === undefined) return Math.log(x)
  if (base === 2) return Math.log2(x)
  return base === 10 ? Math.log10(x) : Math.log(x) / Math.log(base)
}

export const FUNCTIONS: ReadonlyMap<string, MathFunction> = new Map<string, MathFunction>([
  ...(['abs', 'sign', 'sqrt', 'cbrt', 'exp', 'log2', 'log10', 'floor', 'ceil', 'trunc', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'] as const).map(
    (name): [string, MathFunction] => [name, one((x) => Math[name](x))],
  ),
  ['ln', one(Math.log)],
  ['log', { takes: [1, 2], of: log }],
  ['round', { takes: [1, 2], of: round }],
  ['factorial', one(factorial)],
  ['degrees', one((x) => (x * 180) / Math.PI)],
  ['radians', one((x) => (x * Math.PI) / 180)],
  ['pow', two((a, b) => a ** b)],
  ['mod', two(mod)],
  ['atan2', two(Math.atan2)],
  ['comb', two(comb)],
  ['perm', two(perm)],
  ['min', some(Math.min)],
  ['max', some(Math.max)],
  ['hypot', some(Math.hypot)],
  ['sum', some(sum)],
  ['mean', some(mean)],
  ['avg', some(mean)],
  ['median', some(median)],
  ['gcd', some(gcd)],
  ['lcm', some(lcm)],
])

export const CONSTANTS: ReadonlyMap<string, number> = new Map([['pi', Math.PI], ['π', Math.PI], ['e', Math.E], ['tau', 2 * Math.PI], ['phi', (1 + Math.sqrt(5)) / 2]])
