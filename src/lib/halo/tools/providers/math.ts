/** `Math()`: arithmetic. */
import { Type } from 'typebox'
import { HaloError } from '../../errors.ts'
import type { ProviderDefinition } from '../types.ts'

export const math: ProviderDefinition = {
  name: 'Math',
  description: 'Evaluates arithmetic.',
  config: Type.Object({}, { additionalProperties: false }),
  info: {
    eval: {
      description:
        'Evaluates an expression in 64-bit floating point: + - * / % ^ ! and parentheses, with the usual precedence; pi, e, tau; ' +
        'abs, sign, sqrt, cbrt, exp, ln, log (natural, or log(x, base)), log2, log10, pow, mod, round(x, digits), floor, ceil, trunc, min, max, sum, mean, median, ' +
        'hypot, gcd, lcm, factorial, comb, perm, degrees, radians, and the trigonometric and hyperbolic functions (in radians).',
      parameters: Type.Object(
        {
          expression: Type.Optional(Type.String({ description: 'Such as (3 + 4) * 2^10 or sqrt(2) / 2.' })),
          // In a pipeline the flowing value fills it; it counts only where no expression is given.
          input: Type.Optional(Type.Unknown({ description: 'The expression, where it is not given as expression.' })),
        },
        { additionalProperties: false },
      ),
      effect: 'read',
      result: Type.Number(),
    },
  },
  provider: () => ({
    eval: async ({ expression, input }) => {
      const wanted = expression ?? input
      if (typeof wanted !== 'string' && typeof wanted !== 'number') throw new HaloError('TOOL_ERROR', 'Give an expression, such as "(3 + 4) * 2".')
      const { evaluate } = await import('./math-expression.ts')
      return evaluate(String(wanted))
    },
  }),
}
