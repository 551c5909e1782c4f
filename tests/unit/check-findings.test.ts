/** Each program has one mistake, marked «so»: the checker finds exactly that, exactly there, and nothing else. */
import { expect, test } from 'vitest'
import { analyse, CODES } from '../../src/lib/halo/check/index.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'

registerToolProvider('Bare', () => ({}))

const FILES = 'tool Files : Workspace("./notes", write: true)\n'
const READER = 'tool Docs : Workspace("./docs")\n'
const SHELL = 'tool Shell : Bash(cwd: ".")\n'
const AGENT = 'agent A [mock/a]\n'
const EQUIPPED = 'agent A [mock/a] equips Files\n'
const policy = (rules: string) => `${FILES}${SHELL}policy P : ${rules}`
const pipe = (stages: string, params = 'x: String') => `${FILES}${EQUIPPED}pipeline P(${params}) : ${stages}`
const run = (lines: string) => `${FILES}${EQUIPPED}pipeline P(x: String) : x |> A.go(tools: [Files])\ntest "t" runs P(x: "1") :\n${lines}`

/** Code, program, and what the fix makes of the marked text. */
const programs: [code: keyof typeof CODES, program: string, fix?: string][] = [
  ['unknown-name', pipe('y |> A.go()').replace('y |>', '«y» |>')],
  ['unknown-name', pipe('topic |> A.go("{{«topc»}}")', 'topic: String'), 'topic'],
  ['unknown-name', pipe('x |> A.go() as draft |> System.Value(context.data.«drft»)'), 'draft'],
  ['unknown-name', pipe('x |> A.go() as draft |> System.Value(context.args.«draft»)')],
  ['unknown-name', pipe('x |> «B».go()')],
  ['unknown-name', `${AGENT}pipeline Other(x: String) : x\npipeline P(x: String) : x |> «Othr»()`, 'Other'],
  ['unknown-name', pipe('x |> System.Value(«item»)')],
  ['unknown-name', pipe('x |* each A.go() as all |> System.Value(«index»)', 'x: [String]')],
  ['unknown-name', pipe('x |* { A.one() as a, A.two("{{«a»}}") as b }')],
  ['unknown-name', `${FILES}agent A [mock/a] equips «Filez»`, 'Files'],
  ['unknown-name', 'agent A [mock/a] requires «Careful»'],
  ['unknown-name', `${AGENT}pipeline P(x: String) requires «Q» : x`],
  ['unknown-name', `agent A [mock/a] system "For {{«who»}}."\npipeline P(x: String) : x |> A.go()`],
  ['unknown-name', `agent A [mock/a]\npipeline P(x: String) : x |> A.go(schema: «Invoice»)`],
  ['unknown-name', `pipeline P() : 1\ntest "t" runs «Q»() : expect true`],
  ['unknown-name', run('mock «Af».go : "x"\nexpect true'), 'A'],
  ['unknown-name', run('expect «outptu» == 1'), 'output'],
  ['unknown-name', `tool T : Pipeline(«Missing»)`],
  ['unknown-function', pipe('x |> System.Value(«uper»(x))'), 'upper'],
  ['argument-count', pipe('x |> System.Value(«lower»(x, 1))')],
  ['argument-count', policy('MaxSteps(1, «2»)')],
  ['argument-count', pipe('x |> System.Value(1, «2»)')],
  ['argument-name', pipe('x |> System.Value(lower(«text»: x))')],
  ['argument-position', `tool T : Bare()\npipeline P(x: String) : x |> T.go(«x»)`],
  ['argument-range', 'agent A [mock/a, temp: «3»]'],
  ['argument-range', 'agent A [mock/a, max_tokens: «0»]'],
  ['argument-range', pipe('x |> A.go(max_steps: «1.5»)')],
  ['argument-range', policy('MaxSpend(«-1»)')],
  ['argument-range', pipe('x |> A.go() |<> loop(A, x == "", max: «0»)')],
  ['argument-range', pipe('x |* each(limit: «0») A.go()', 'x: [String]')],
  ['argument-range', pipe('x |> A.go() @timeout(«0»)')],
  ['argument-type', policy('MaxSpend(«"much"»)')],
  ['argument-type', pipe('x |> Files.read(path: «1»)')],
  ['argument-type', 'tool Files : Workspace(«1»)'],
  ['argument-type', pipe('x |> A.go(tools: «Files»)'), '[Files]'],
  ['argument-type', `${AGENT}pipeline N(n: Number) : n\npipeline P() : N(«"one"»)`],
  ['argument-type', `${AGENT}pipeline N(n: Number) : n\ntest "t" runs N(n: «true») : expect true`],
  ['argument-type', 'agent A [mock/a, base_url: «"localhost"»]'],
  ['bad-glob', policy('AllowTools(«"Files"»)'), '"Files.*"'],
  ['bad-glob', policy('DenyTools(«"{Files,Docs}.read"»)')],
  ['bad-glob', policy('DenyTools(«"!Files.read"»)')],
  ['bad-glob', run('decline «".read"»\nexpect true'), '"*.read"'],
  ['bad-regex', policy('DenyArgs("Files.*", «"("»)')],
  ['bad-regex', pipe('x |> System.Value(matches(x, «"[z-a]"»))')],
  ['condition-template', pipe('x |> A.go() |<> loop(A, «"{{x}} == 1"»)')],
  ['condition-template', pipe('x |? { «"{{x}}"» => A.go() }')],
  ['decorator-place', pipe('x |> Files.read(path: x) «@correct»(2)')],
  ['decorator-place', pipe('x |> System.Value(x) «@retry»(2)')],
  ['decorator-place', pipe('x |> A.go() «@cache»')],
  ['decorator-place', pipe('x |> A.go() «@category»("payment")')],
  ['default-type', 'pipeline P(n: Number = «"one"») : n'],
  ['duplicate-argument', pipe('x |> A.go(temp: 1, «temp»: 1)')],
  ['duplicate-argument', pipe('x |> Files.read(path: x, «path»: x)')],
  ['duplicate-clause', 'agent A [mock/a] system "x" «system» "y"'],
  ['duplicate-decorator', pipe('x |> A.go() @timeout(1s) «@timeout»(2s)')],
  ['duplicate-field', 'schema S { a: String, «a»: Number }'],
  ['duplicate-key', pipe('x |* { A.one(), «A.one»() }')],
  ['duplicate-key', pipe('x |* { A.one() as a, A.two() as «a» }')],
  ['duplicate-key', 'pipeline P() : { a: 1, «a: 2» }'],
  ['duplicate-name', `tool Notes : Workspace(".")\nagent «Notes» [mock/a]`],
  ['duplicate-name', 'pipeline P(a: String, «a»: Number) : 1'],
  ['duplicate-option', 'agent A [mock/a, temp: 1, «temp»: 1]'],
  ['duplicate-reference', `${FILES}agent A [mock/a] equips Files, «Files»`],
  ['duplicate-test', 'pipeline P() : 1\ntest "t" runs P() : expect true\ntest «"t"» runs P() : expect true'],
  ['duplicate-type', 'pipeline P(x: "a" | «"a"») : x'],
  ['empty-stage', pipe('x «|* { }»')],
  ['endless-schema', 'schema «S» { s: S }'],
  ['env-missing', 'tool T : Slack(«Env.TOKEN», channel: Env.CHANNEL ?? "#x")'],
  ['env-name', 'tool T : Bare(«Env»)'],
  ['env-outside-declaration', pipe('x |> System.Value(«Env».KEY)')],
  ['glob-matches-nothing', policy('DenyTools(«"File.read"»)'), '"Files.read"'],
  ['glob-matches-nothing', policy('DenyTools(«"Files.reed"»)'), '"Files.read"'],
  ['import-missing', 'import «"./other.halo"»'],
  ['import-path', 'import «"other.halo"»'],
  ['loop-target', `agent B [mock/b]\n${pipe('x |> A.go() |<> loop(«B», x == "")')}`, 'A'],
  ['loop-target', pipe('x |* { A.go() } |<> loop(«A», x == "")')],
  ['missing-argument', policy('«MaxSteps»()')],
  ['missing-argument', policy('«AllowTools»')],
  ['missing-argument', policy('«AllowArgs»("Files.read", "path")')],
  ['missing-argument', pipe('x |> «Files.write»(path: x)')],
  ['missing-argument', `${AGENT}pipeline N(a: Number, b: Number) : a\npipeline P() : 1 |> «N»()`],
  ['missing-argument', `pipeline N(a: Number) : a\ntest "t" runs «N»() : expect true`],
  ['missing-argument', pipe('x «~> listen»()')],
  ['missing-method', pipe('x |> «Files»(path: x)')],
  ['missing-task', pipe('x |> «A»("go")')],
  ['model-without-provider', 'agent A [«gpt-4o»]'],
  ['not-a-list', pipe('x «|* each» A.go()')],
  ['not-a-store', 'store S : «Workspace»(".")'],
  ['not-a-tool', 'tool S : «File»("a.md")'],
  ['not-a-value', pipe('x |> System.Value(«A»)')],
  ['not-a-value', pipe('x |> System.Value(«upper»)')],
  ['not-callable', pipe('x |> «upper»(x)')],
  ['not-callable', `${AGENT}test "t" runs «A»() : expect true`],
  ['not-literal', policy('AllowTools(«Files»)'), '"Files"'],
  ['not-literal', 'agent A [mock/a, temp: «hot»]'],
  ['not-literal', 'tool Files : Workspace(".") @category(«payment»)', '"payment"'],
  ['nothing-allowed', policy('MaxSpend(«0»)')],
  ['option-like-name', pipe('x |> A.go(«max_step»: 3)'), 'max_steps'],
  ['pipeline-cycle', 'pipeline P() : 1 |> «P»()'],
  ['pipeline-cycle', 'pipeline P() : 1 |> Q()\npipeline Q() : 1 |> «P»()'],
  ['pipeline-cycle', 'tool Sub : Pipeline(P)\nagent A [mock/a] equips Sub\npipeline P() : 1 |> A.«go»(tools: [Sub])'],
  ['policy-cycle', 'policy P : «P»'],
  ['regex-matches-anything', policy('DenyArgs("Files.*", «"x*"»)')],
  ['regex-not-linear', policy('DenyArgs("Files.*", «"(a+)+c"»)')],
  ['reserved-name', 'agent «Env» [mock/a]'],
  ['reserved-name', 'pipeline «upper»(x: String) : x'],
  ['reserved-name', 'pipeline P(«input»: String) : 1'],
  ['reserved-name', pipe('x |> A.go() as «context»')],
  ['reserved-name', 'schema «String» { a: Number }'],
  ['reserved-name', 'policy «MaxSteps» : MaxSpend(1)'],
  ['return-type', 'pipeline P(x: Number) -> [String] : x «|> System.Value(1)»'],
  ['session-scope', pipe('x |> Files.read(path: x) @idempotent(scope: «session»)')],
  ['session-scope', 'tool T : Workspace(".") @idempotent(scope: «session»)\npipeline P(x: String) : x |> T.read(path: x)'],
  ['shadowed-name', pipe('x |> A.go() as «x»')],
  ['template-name', 'tool T : Workspace("{{«dir»}}")\npipeline P(folder: String) : folder |> T.read(path: "a")'],
  ['template-name', 'tool T : Workspace(«folder»)\npipeline Q(folder: String) : folder |> T.read(path: "a")\npipeline P(name: String) : name |> T.read(path: "a")'],
  ['test-files', run('files "." : «"x"»\nexpect true')],
  ['test-without-expect', 'pipeline P() : 1\ntest «"t"» runs P() :'],
  ['tool-config', pipe('x |> A.go(tools: [«Filez»])'), 'Files'],
  ['tool-config', `${READER}${pipe('x |> A.go(tools: [«Docs»])')}`],
  ['tool-config', `store S : File("a.md")\n${pipe('x |> A.go(tools: [«S»])')}`],
  ['tool-config', 'tool T : Bare()\nagent A [mock/a] equips T\npipeline P(x: String) : x |> A.go(tools: [«T»])'],
  ['tool-config', `${FILES}agent R [replicate/x] equips Files\npipeline P(x: String) : x |> R.go(tools: «[Files]»)`],
  ['tool-config', pipe('x |> A.go(tool: «Files»)')],
  ['unknown-argument', 'tool Files : Workspace(«rot»: ".")', 'root'],
  ['unknown-argument', pipe('x |> Files.read(«file»: x, path: x)')],
  ['unknown-argument', policy('DenyArgs("Files.write", «pth»: "x")'), 'path'],
  ['unknown-argument', policy('DenyArgs("Files.write", «"pth"», "x")'), '"path"'],
  ['unknown-argument', pipe('x |* each(«limt»: 3) A.go()', 'x: [String]'), 'limit'],
  ['unknown-argument', `pipeline N(a: Number) : a\npipeline P() : N(a: 1, «b»: 2)`],
  ['unknown-decorator', pipe('x |> A.go() @«corect»(2)'), 'correct'],
  ['unknown-event', run('answer «"paid"» : 1\nexpect true')],
  ['unknown-field', `schema S { total: Number }\npipeline P(s: S) : s.«totl»`, 'total'],
  ['unknown-field', pipe('x |> System.Value(context.meta.«costs»)'), 'cost'],
  ['unknown-field', `store S : File("a.md")\n${pipe('x |> S.append(text: x) as r |? { "r.«pth» == x" => A.go() }')}`, 'path'],
  ['unknown-field', `schema V { score: Number }\nagent C [mock/c] returns V\n${pipe('x |> C.judge() as v |> A.go() |<> loop(A, "v.«scor» < 8")')}`, 'score'],
  ['unknown-method', pipe('x |> Files.«reed»(path: x)'), 'read'],
  ['unknown-method', `${READER}pipeline P(x: String) : x |> Docs.«write»(path: x, content: x)`],
  ['unknown-method', pipe('x |> System.«Vlue»(x)'), 'Value'],
  ['unknown-model-provider', 'agent A [«opnai»/gpt-4o]', 'openai'],
  ['unknown-model-provider', pipe('x |> A.go() @shadow(«opnai»/gpt-4o)'), 'openai'],
  ['unknown-option', 'agent A [mock/a, «tmp»: 1]', 'temp'],
  ['unknown-provider', 'tool T : «Wrkspace»(".")', 'Workspace'],
  ['unknown-provider', 'tool T : «Page»()'],
  ['unknown-rule', policy('«AlowTools»("Files.*")'), 'AllowTools'],
  ['unknown-status', run('expect status == «"complete"»'), '"completed"'],
  ['unknown-target', run('mock A.go : call("«File».read", { path: "a" }) then "x"\nexpect true')],
  ['unknown-task', run('mock A.«og» : "x"\nexpect true'), 'go'],
  ['unknown-type', 'pipeline P(x: «string») : x', 'String'],
  ['unknown-type', 'schema Invoice { a: String }\nagent A [mock/a] returns «Invoce»', 'Invoice'],
  ['unknown-word', policy('ApproveEffects(«writes»)'), 'write'],
  ['unknown-word', policy('Redact("email", on: «inputs»)'), 'input'],
  ['unknown-word', pipe('x |> A.go() @retry(2, on: ["429", «"netwrok"», 503])')],
  ['unreachable-arm', pipe('x |? { else => A.one(), «else => A.two()» }')],
  ['weak-rule', policy(String.raw`DenyArgs("Shell.run", «"\\brm\\b"»)`)],
  ['weak-rule', policy(`AllowArgs("Shell.run", command: «'bun test.*'»)`)],
  ['weak-rule', policy(`DenyArgs("Shell.*", "command", «'^(?!bun test)'»)`)],
  ['word-name', pipe('x |> A.go() as «run»')],
]

const special: (keyof typeof CODES)[] = ['import-clash', 'import-cycle', 'import-repeated', 'syntax']

test.each(programs.filter(([code]) => code !== 'syntax'))('%s in %s', (code, program, fixed) => {
  const from = program.indexOf('«')
  const to = program.indexOf('»') - 1
  const source = program.replace(/[«»]/g, '')
  const { diagnostics } = analyse(source, { env: {} })
  expect(diagnostics.map(({ code, from, to, message }) => ({ code, at: source.slice(from, to), message }))).toEqual([
    { code, at: source.slice(from, to), message: expect.stringMatching(/^[A-Z"|@{(a-z].*[.?!)]$/s) as string },
  ])
  expect(diagnostics[0]).toMatchObject({ from, to })
  const fix = diagnostics[0]?.fix
  if (fixed !== undefined) expect(fix && source.slice(0, fix.from) + fix.insert + source.slice(fix.to)).toBe(source.slice(0, from) + fixed + source.slice(to))
})

test('every code of the table is found by one of these programs', () => {
  const tested = new Set([...programs.map(([code]) => code), ...special])
  expect(Object.keys(CODES).filter((code) => !tested.has(code as keyof typeof CODES))).toEqual([])
})

test('what a provider says of its results is no error where it does not fit: a mock may give something else', () => {
  for (const stages of ['|> Files.glob(pattern: "*") |* each A.go()', '|> Files.read(path: "a") as f |> Other(x: f)']) {
    const { diagnostics } = analyse(`${FILES}${AGENT}pipeline Other(x: String) : x\npipeline P : ${stages}`)
    expect(diagnostics.map((d) => d.severity), stages).toEqual(['warning'])
  }
})
