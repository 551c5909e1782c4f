import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HaloRuntime, parse } from '../../src/lib/halo/index.ts'
import { math } from '../../src/lib/halo/tools/providers/math.ts'
import type { Method } from '../../src/lib/halo/tools/types.ts'
import { toolContext } from './middleware-kit.ts'
import { expectDescribed } from './tool-results.ts'

async function evaluate(expression: string): Promise<number> {
  const methods = await math.provider({}, { tool: 'Sums', fetch, env: {}, runId: 'r' })
  const result = await (methods.eval as Method)({ expression }, toolContext())
  expectDescribed(math, 'eval', result)
  return result as number
}
const refusal = (expression: string): Promise<string> =>
  evaluate(expression).then(
    (value) => `gave ${value}`,
    (error: Error) => error.message,
  )

describe('values', () => {
  test.each([
    ['2 + 3 * 4', 14],
    ['(2 + 3) * 4', 20],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 5', 2],
    ['2 ^ 3 ^ 2', 512],
    ['2 ** 10', 1024],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ -1', 0.5],
    ['2 * -3', -6],
    ['- - 3', 3],
    ['-3!', -6],
    ['2^3!', 64],
    ['-7 % 3', -1],
    ['mod(-7, 3)', 2],
    ['1.5e3 + .5 + 2.', 1502.5],
    ['6 × 7 − 84 ÷ 2', 0],
    ['0 * -1', 0],
    ['sqrt(16) + cbrt(27) + abs(-1)', 8],
    ['log(e) + log(8, 2) + log10(1000) + ln(1)', 7],
    ['min(3, 1, 2) + max(3, 1, 2)', 4],
    ['sum(1, 2, 3) + mean(1, 2, 3, 6) + median(1, 9, 3, 5)', 13],
    ['round(2.5) + round(-2.5) + round(1.005, 2)', 1.01],
    ['round(1234.5, -2)', 1200],
    ['floor(-1.5) + ceil(1.2) + trunc(-1.9)', -1],
    ['gcd(12, 18, 27) + lcm(4, 6)', 15],
    // NIST's tables: 20!, the binomial of 52 over 5, permutations of 10 by 3.
    ['factorial(20)', 2432902008176640000],
    ['comb(52, 5)', 2598960],
    ['comb(1000000000, 2)', 499999999500000000],
    ['perm(10, 3)', 720],
    ['hypot(3, 4)', 5],
    ['degrees(pi) + radians(0)', 180],
    ['PI', Math.PI],
    ['5!', 120],
  ])('%s', async (expression, value) => {
    expect(await evaluate(expression)).toBe(value)
  })

  // Abramowitz and Stegun, tables 4.6, 4.10 and 4.15.
  test.each([
    ['sin(1)', 0.8414709848],
    ['cos(1)', 0.5403023059],
    ['tan(1)', 1.5574077247],
    ['sinh(1)', 1.1752011936],
    ['atan2(1, -1)', 2.3561944902],
    ['exp(1)', 2.7182818285],
    ['ln(2)', 0.6931471806],
    ['tanh(0.5)', 0.4621171573],
  ])('%s to ten digits', async (expression, value) => {
    expect(await evaluate(expression)).toBeCloseTo(value, 9)
  })

  test('sums and products are those of the numbers, whatever they are and however they are put in parentheses', async () => {
    const leaf = fc.integer({ min: 0, max: 999 }).map((n) => ({ text: String(n), value: n as number }))
    const { tree } = fc.letrec<{ tree: { text: string; value: number } }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*'), tie('tree')).map(([a, sign, b]) => ({
          text: `(${a.text} ${sign} ${b.text})`,
          value: sign === '+' ? a.value + b.value : sign === '-' ? a.value - b.value : a.value * b.value,
        })),
        tie('tree').map(({ text, value }) => ({ text: `-${text}`, value: -value })),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(tree, async ({ text, value }) => {
        expect(await evaluate(text)).toBe(value + 0)
      }),
    )
  })
})

describe('what is refused, with where', () => {
  test.each([
    ['', 'is empty'],
    ['1 +', 'ends too early'],
    ['(1', 'ends too early'],
    ['1)', '")" at character 2'],
    ['2(3)', 'Write products with *'],
    ['2 pi', 'Write products with *'],
    ['1,000', '"," at character 2'],
    ['1 $ 2', '"$" at character 3'],
    ['1 / 0', 'divides by zero, at character 3'],
    ['5 % (1 - 1)', 'divides by zero'],
    ['0 ^ -1', 'divides by zero'],
    ['sqrt(-1)', 'sqrt at character 1 has no real value'],
    ['(-8) ^ (1/3)', 'no real value'],
    ['ln(0)', 'or infinite'],
    ['sqrtt(4)', 'Did you mean sqrt?'],
    ['sqrt', 'is a function: write sqrt(…)'],
    ['sqrt(1, 2)', 'takes 1 argument, not 2'],
    ['round()', 'takes 1 to 2 arguments, not 0'],
    ['max()', 'at least 1'],
    ['factorial(-1)', 'factorial needs a number from 0 on'],
    ['2.5!', 'whole numbers'],
    ['comb(3, 4)', '0 <= k <= n'],
    ['1e999', 'beyond the numbers'],
    ['5 cm to inch', 'Write products'],
  ])('%s', async (expression, words) => {
    expect(await refusal(expression)).toContain(words)
  })

  test.each([
    'import("fs")', 'createUnit("x")', 'evaluate("1")', 'parse("1")', 'simplify(1)', 'derivative(1)', 'constructor(1)', '__proto__', 'toString(1)', 'this.x', 'process.exit(1)', 'globalThis',
    'abs.constructor("return 1")(1)', 'x = 1', '[1, 2]', '{a: 1}', '"text"', '1; 2', 'f(x) = x', '() => 1', 'ones(1e6, 1e6)', 'config({})',
  ])('%s reaches nothing', async (expression) => {
    expect(await refusal(expression)).toMatch(/^The expression has/)
  })
})

describe('time', () => {
  test.each([
    ['powers', '9^9^9^9'],
    ['a factorial', 'factorial(1e9)'],
    ['factorials of factorials', `9${'!'.repeat(9000)}`],
    ['10 MB of parentheses', '('.repeat(10 << 20)],
    ['parentheses up to the limit', '('.repeat(9_999)],
    ['signs', '-'.repeat(9_999)],
    ['powers in a row', '1^'.repeat(4_999)],
    ['functions within each other', 'abs('.repeat(2_400)],
    ['combinations', 'comb(9007199254740991, 4503599627370495)'],
    ['permutations', 'perm(9007199254740991, 9007199254740991)'],
    ['digits', `${'9'.repeat(9_000)}`],
    ['spaces', `1${' '.repeat(9_000)}1`],
  ])('%s end in an error at once', async (_name, expression) => {
    const start = performance.now()
    expect(await refusal(expression)).not.toMatch(/^gave/)
    expect(performance.now() - start).toBeLessThan(250)
  })

  test('any text of the greatest length ends at once, in a number or in words', async () => {
    const part = fc.constantFrom('9', '!', '^', '(', ')', 'comb(', ',', '-', 'gcd(', 'median(', '1e300', '*', ' ', 'x', '.')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
        const text = parts.join('')
        const start = performance.now()
        await refusal(text.repeat(Math.floor(9_999 / text.length)))
        expect(performance.now() - start).toBeLessThan(250)
      }),
    )
  })
})

test('a pipeline gives the expression by name, by place, or as what flows in', async () => {
  const ast = parse(`
    tool Sums : Math()
    pipeline Named() : { a: 1 } |> Sums.eval(expression: "1 + 1")
    pipeline Placed() : null |> Sums.eval("2 * 3")
    pipeline Flowing(text: String) : text |> Sums.eval()
    pipeline Nothing() : null |> Sums.eval()`)
  const runtime = new HaloRuntime().load(ast)
  expect((await runtime.run('Named', {})).output).toBe(2)
  expect((await runtime.run('Placed', {})).output).toBe(6)
  expect((await runtime.run('Flowing', { text: '7 - 4' })).output).toBe(3)
  expect((await runtime.run('Nothing', {})).error?.message).toContain('Give an expression')
})
