/** Programs that are right by construction: the checker has nothing to say against them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyse } from '../../src/lib/halo/check/index.ts'
import { format } from '../../src/lib/halo/syntax/index.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { programs, WORLD_INFO } from './support-programs.ts'

type Kind = 'text' | 'number' | 'list' | 'verdict'
interface Scope {
  names: Map<string, Kind>
  input: Kind
  item: boolean
}

/** Builds a program from a stream of choices, and keeps account of what is in scope. */
function build(choices: readonly number[]): string {
  let at = 0
  let fresh = 0
  const next = (n: number) => (choices[at++ % choices.length] ?? 0) % n
  const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T
  const name = (prefix: string) => `${prefix}${fresh++}`

  const pipelines: { name: string; params: [string, Kind][]; returns: Kind }[] = []

  const expression = (kind: Kind, scope: Scope, depth = 0): string => {
    const fit = [...scope.names].filter(([, k]) => k === kind).map(([n]) => n)
    if (scope.input === kind) fit.push('input')
    if (fit.length && next(2)) return pick(fit)
    const sub = (k: Kind) => expression(k, scope, depth + 1)
    if (depth > 2) return { text: '"text"', number: '3', list: '["a", "b"]', verdict: '{ score: 1, advice: "none" }' }[kind]
    switch (kind) {
      case 'text':
        return pick([
          () => `"on {{${sub('text')}}}, {{ ${sub('number')} }}"`,
          () => `upper(${sub('text')})`,
          () => `join(${sub('list')}, "; ")`,
          () => `string(${sub('number')})`,
          () => `(${sub('number')} > 2 ? ${sub('text')} : 'raw "quotes"')`,
          () => `${fieldOf(sub('verdict'))}.advice`,
          () => 'context.meta.runId',
        ])()
      case 'number':
        return pick([() => `len(${sub('text')})`, () => `${sub('number')} + 1_000`, () => `sum([1, ${sub('number')}])`, () => `-2`, () => 'context.meta.tokens.input', () => `${fieldOf(sub('verdict'))}.score`])()
      case 'list':
        return pick([() => `split(${sub('text')}, ",")`, () => `[${sub('text')}, ${sub('text')}]`, () => `unique(${sub('list')})`])()
      case 'verdict':
        return `{ score: ${sub('number')}, advice: ${sub('text')}, }`
    }
  }
  const fieldOf = (value: string) => (/^\w+$/.test(value) ? value : `merge(${value})`)
  const condition = (scope: Scope) => {
    const plain = pick([() => `len(${expression('text', scope, 2)}) > 3`, () => `${expression('number', scope, 2)} >= 2 && true`, () => `!contains(${expression('text', scope, 2)}, 'x')`])()
    return next(2) && !plain.includes('{{') ? JSON.stringify(plain) : plain
  }

  const agentCall = (scope: Scope, arrow = '|> '): string => {
    const args = Array.from({ length: next(3) }, () => expression(pick(['text', 'number', 'verdict']), scope, 1))
    if (next(2)) args.push(pick(['tools: [Files, Shell]', 'tools: auto', 'tools: none', 'tools: [Sub]', 'max_steps: 3', 'temp: 0.5', 'tool: Files.read(path: "a.md")', `about: ${expression('text', scope, 2)}`]))
    const decorators = pick(['', ' @correct(2)', ' @retry(2, backoff: exponential, on: ["429", "5xx"]) @timeout(1m30s)', ' @shadow(openai/gpt-4o)', ' @cache'])
    return `${arrow}Worker.${pick(['draft', 'work', 'check'])}(${args.join(', ')})${decorators}`
  }
  const as = (kind: Kind, scope: Scope): string => {
    if (!next(2)) return ''
    const bound = name('v')
    scope.names.set(bound, kind)
    return ` as ${bound}`
  }
  const inner = (scope: Scope): Scope => ({ ...scope, names: new Map(scope.names) })

  const stage = (scope: Scope, depth: number): string => {
    const flows = (kind: Kind, text: string) => {
      scope.input = kind
      return text + as(kind, scope)
    }
    const simple = [
      () => flows('text', agentCall(scope)),
      () => flows('verdict', `|> Judge.judge(${expression('text', scope, 1)})`),
      () => { const kind = pick<Kind>(['text', 'number', 'list', 'verdict']); return flows(kind, `|> System.Value(${expression(kind, scope)})`) },
      () => `|> System.Log(${expression('text', scope, 1)})`,
      () => flows('text', `|> Files.read(path: ${expression('text', scope, 1)}, limit: 3) |> System.Value(input.content)`),
      () => flows('text', `|> Notes.append(text: ${expression('text', scope, 1)}) |> System.Value(input.path)`),
      () => `${flows('text', agentCall(scope))} |<> loop(Worker, ${pick(['', 'while: '])}${condition(scope)}, max: 2) |> System.Value(${expression(scope.input, scope, 2)})`,
      () => flows('text', `|! yield("Go on with {{${expression('text', scope, 2)}}}?") |> System.Value("yes")`),
      () => flows('text', '~> listen("event", timeout: 1h) |> System.Value("came")'),
      () => {
        const called = pipelines.length ? pick(pipelines) : undefined
        if (!called) return '|> System.Log("none")'
        const args = called.params.map(([n, kind]) => `${n}: ${expression(kind, scope, 1)}`)
        return flows(called.returns, `|> ${called.name}(${args.join(', ')})`)
      },
    ]
    if (depth > 1) return pick(simple)()
    return pick([
      ...simple,
      () => {
        const arms = Array.from({ length: 1 + next(2) }, () => `${condition(scope)} => ${chain({ ...inner(scope) }, depth + 1, 'text').replace(/^\|> /, '')}`)
        const otherwise = inner(scope)
        const text = `|? { ${arms.join(pick([', ', '\n']))}${pick([',', ''])} else => ${chain(otherwise, depth + 1, 'text').replace(/^\|> /, '')} }`
        scope.input = 'text'
        return text + as('text', scope)
      },
      () => {
        const branches = [name('b'), name('b')].map((key) => `${chain(inner(scope), depth + 1, 'text').replace(/^\|> /, '')} as ${key}`)
        scope.input = 'text'
        return `|* { ${branches.join(', ')} } |> System.Value("joined")`
      },
      () => {
        const list = expression('list', scope)
        const own: Scope = { names: new Map([...scope.names, ['item', 'text'], ['index', 'number']]), input: 'text', item: true }
        const text = `|> System.Value(${list}) |* each${pick(['', '(limit: 2, max: 10)'])} { ${chain(own, depth + 1, 'text')} }`
        scope.input = 'list'
        return text + as('list', scope)
      },
    ])()
  }
  /** Stages that end with a value of a kind. */
  const chain = (scope: Scope, depth: number, kind: Kind): string => {
    const stages = Array.from({ length: next(3) }, () => stage(scope, depth))
    return [...stages, `|> System.Value(${expression(kind, scope, 1)})`].join(pick([' ', '\n  ']))
  }

  const types: Record<Kind, string> = { text: 'String', number: 'Number', list: '[String]', verdict: 'Verdict' }
  const declared = Array.from({ length: 1 + next(3) }, () => {
    const params = Array.from({ length: 1 + next(3) }, (): [string, Kind] => [name('p'), pick(['text', 'number', 'list', 'verdict'])])
    const returns = pick<Kind>(['text', 'number', 'list', 'verdict'])
    const scope: Scope = { names: new Map(params), input: params[0]?.[1] ?? 'text', item: false }
    const own = name('Pipe')
    const written = `pipeline ${own}(${params.map(([n, k]) => `${n}: ${types[k]}`).join(', ')}) -> ${types[returns]}${pick(['', ' requires Whole'])} :\n  ${params[0]?.[0] ?? ''}\n  ${chain(scope, 0, returns)}`
    pipelines.push({ name: own, params, returns })
    return written
  })
  const tests = pipelines.map((p) => {
    const args = p.params.map(([n, k]) => `${n}: ${{ text: '"x"', number: '1', list: '["x"]', verdict: '{ score: 1, advice: "x" }' }[k]}`)
    return `test "${p.name} runs" runs ${p.name}(${args.join(', ')}) :\n  files "./notes" : { "a.md": "text" }\n  approve Files.*\n  decline "Shell.run" : "no"\n  expect status == "completed" || called("Files.*") >= 0 && len(violations) == 0`
  })
  return [
    'policy Whole : AllowTools("Files.*", "Shell.run", "Sub.run", "Notes.*") & DenyTools("Files.delete") & DenyArgs("Files.*", "path", "\\\\.env$")',
    `  & AllowArgs("Shell.run", command: 'bun test[\\w ./-]*') & ApproveEffects(write, external) & MaxSpend(0.50) & MaxCalls("Files.write", 3) & MaxSteps(40) & Redact("email") & Block("secret", on: output)`,
    'tool Files : Workspace("./notes", write: true)',
    'tool Shell : Bash(cwd: ".", timeout_ms: 1000, env: { KEY: Env.KEY }) @timeout(1m) @category("shell")',
    'tool Sub : Pipeline(Inner, description: "does it")',
    'store Notes : File("./log.md")',
    'schema Verdict { score: Number, advice: String, next?: Verdict }',
    'agent Worker [mock/a, temp: 0.2, max_tokens: 500, tools: none] system "You work." equips Files, Shell, Sub, Notes requires Whole',
    'agent Judge [mock/b] returns Verdict',
    'pipeline Inner(question: String) -> String : question |> Judge.short() |> System.Value(input.advice)',
    ...declared,
    ...tests,
  ].join('\n')
}

const faults = (source: string) => analyse(source).diagnostics.filter((d) => d.severity === 'error').map((d) => `${d.code}: ${d.message} at ${source.slice(d.from, d.to)}`)

test('a program that is right by construction has no errors, and none when it is formatted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9999), { minLength: 20, maxLength: 300 }), (choices) => {
      const source = build(choices)
      expect(faults(source), source).toEqual([])
      const again = format(source)
      expect(faults(again), again).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('the programs that the interpreter is tested with have no errors', () => {
  registerToolProvider('TestWorld', () => ({}), WORLD_INFO)
  fc.assert(fc.property(programs, (source) => {
    expect(faults(source), source).toEqual([])
  }), { numRuns: 200 })
})
