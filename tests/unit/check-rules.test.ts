/** The checker's table of rules and the reader of the policy room say the same. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyse, REDACT_KINDS, RULES } from '../../src/lib/halo/check/index.ts'
import { DETECTORS } from '../../src/lib/halo/policy/detectors.ts'
import { readRule, RULES as READ } from '../../src/lib/halo/policy/rules.ts'

test('both know the same rules and the same kinds of text', () => {
  expect([...RULES.keys()].sort()).toEqual([...READ.keys()].sort())
  expect([...REDACT_KINDS].sort()).toEqual(Object.keys(DETECTORS).sort())
})

test.each([...RULES.values()].map((rule) => [rule.name, rule.example]))('the example of %s is right', (_, example) => {
  const program = `tool Code : Workspace(".", write: true)\ntool Files : Workspace(".", write: true)\ntool Tests : Bash(cwd: ".")\ntool Web : Elsewhere()\npolicy P : ${example}`
  expect(analyse(program).diagnostics.filter((d) => d.code !== 'unknown-provider' && d.code !== 'unknown-argument')).toEqual([])
})

test('what can\'t be read the checker reports', () => {
  const argument = fc.constantFrom('"T.read"', '"T.*"', '"*.*"', '"x"', '"a+"', '"("', '"path"', '1', '2.5', '-1', 'read', 'write', 'external', 'on: input', 'on: both', 'on: "x"', 'path: "a"', 'path: 1', 'n: 3', '"email"', '[1]', 'true', '"{{x}}"', 'both')
  fc.assert(
    fc.property(fc.constantFrom(...RULES.keys()), fc.array(argument, { maxLength: 4 }), (name, args) => {
      const { file, diagnostics } = analyse(`tool T : Workspace(".")\npolicy P : ${name}(${args.join(', ')})`)
      const rule = file.policies[0]?.rules[0]
      if (!rule) throw new Error('no rule was parsed')
      const said = diagnostics.filter((d) => d.severity === 'error').map((d) => d.message)
      const read = readRule(rule).faults.map((f) => f.message)
      if (read.length) expect(said, `${name}(${args.join(', ')}): ${read.join(' ')}`).not.toEqual([])
    }),
    { numRuns: 1000 },
  )
})
