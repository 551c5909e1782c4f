/**
 * `npm run bench [steps approve replay parse import load]`: what Halo's own machinery costs, as figures to read, not to assert.
 * Each is taken beside a yardstick in the same process, in turns, so that a slow machine slows both.
 */
import { spawnSync } from 'node:child_process'
import { isStale, buildLibrary } from '../../scripts/build-lib.js'
import { root } from '../../scripts/run.js'
import { median } from './fixture.mjs'

if (isStale()) await buildLibrary()
const wanted = process.argv.slice(2)
const parts = { steps, approve, replay, parse, import: importing, load }
for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part()

/** Times two things in turns; gives their medians in milliseconds and the median of their ratios. */
async function inTurns(runs, repeat, ours, yardstick) {
  const time = async (act) => {
    const times = []
    for (let i = 0; i < repeat; i++) {
      const started = performance.now()
      await act()
      times.push(performance.now() - started)
    }
    return median(times)
  }
  const samples = []
  for (let i = 0; i < runs; i++) samples.push({ bare: await time(yardstick), ours: await time(ours) })
  return {
    ours: median(samples.map((sample) => sample.ours)),
    bare: median(samples.map((sample) => sample.bare)),
    ratio: median(samples.map((sample) => sample.ours / sample.bare)),
  }
}

async function steps() {
  const { haloSteps } = await import('./halo.mjs')
  const { bareSteps } = await import('./bare.mjs')
  for (let i = 0; i < 100; i++) {
    await haloSteps(30)
    await bareSteps(30)
  }
  console.log('Steps of one conversation, a tool call each, journal in memory')
  const perStep = []
  for (const [n, repeat] of [[10, 21], [100, 5], [1000, 3]]) {
    const { ours, bare, ratio } = await inTurns(7, repeat, () => haloSteps(n), () => bareSteps(n))
    perStep.push((ours * 1000) / n)
    console.log(`  ${String(n).padStart(4)} steps: ${us(ours / n)} a step, bare loop ${us(bare / n)}, × ${ratio.toFixed(1)}`)
  }
  const [ten = 1, , thousand = 1] = perStep
  console.log(`  from 10 to 1,000 steps a step's cost × ${(thousand / ten).toFixed(2)}\n`)
}

async function approve() {
  const { haloApprovals, haloReopen, haloSession } = await import('./halo.mjs')
  const { bareApprovals } = await import('./bare.mjs')
  for (let i = 0; i < 20; i++) {
    await haloApprovals(30)
    await haloSession(30)
    await bareApprovals(30)
  }
  console.log('Approval cycles: wait for a person, state as text, go on')
  for (const n of [10, 100, 1000]) {
    const { ours, bare, ratio } = await inTurns(5, n === 10 ? 9 : 1, () => haloApprovals(n), () => bareApprovals(n))
    console.log(`  ${String(n).padStart(4)} cycles: ${us(ours / n)} a cycle, bare loop ${us(bare / n)}, × ${ratio.toFixed(2)}`)
  }
  for (const n of [10, 100, 1000]) {
    const { ours, bare, ratio } = await inTurns(5, n === 10 ? 9 : 1, () => haloSession(n), () => bareApprovals(n))
    console.log(`  ${String(n).padStart(4)} cycles at the gate of a session: ${us(ours / n)} a cycle, bare loop ${us(bare / n)}, × ${ratio.toFixed(2)}`)
  }
  for (const n of [100, 1000]) {
    const reopened = []
    for (let i = 0; i < 5; i++) reopened.push(await haloReopen(n))
    const ms = median(reopened.map((one) => one.ms))
    const { entries } = reopened[0] ?? { entries: 1 }
    console.log(`  taken up by a new process after ${entries} entries: ${ms.toFixed(1)} ms, ${us(ms / entries)} an entry`)
  }
  console.log()
}

async function replay() {
  const { openAndReplay, recordingOf } = await import('./replay.mjs')
  const lines = await recordingOf(10_000)
  await openAndReplay(await recordingOf(1_000))
  const taken = []
  for (let i = 0; i < 5; i++) taken.push(await openAndReplay(lines))
  const { entries } = taken[0] ?? { entries: 0 }
  const opened = median(taken.map((one) => one.opened))
  const ms = median(taken.map((one) => one.ms))
  console.log(`A recording of ${entries} entries (${(lines.length / 1e6).toFixed(1)} MB): opened in ${opened.toFixed(0)} ms, replayed in ${ms.toFixed(0)} ms, ${Math.round((entries * 1000) / ms)} entries a second\n`)
}

async function parse() {
  const { analyse, format, parse } = await import('halo')
  const source = sourceOf(1_000_000)
  const megabytes = source.length / 1e6
  console.log(`Parsing a program of ${megabytes.toFixed(1)} MB`)
  for (const [name, act] of [['parse', () => parse(source)], ['analyse', () => analyse(source)], ['format', () => format(source)]]) {
    const times = []
    for (let i = 0; i < 5; i++) {
      const started = performance.now()
      act()
      times.push(performance.now() - started)
    }
    const ms = median(times)
    console.log(`  ${name}: ${ms.toFixed(0)} ms, ${((megabytes * 1000) / ms).toFixed(2)} MB/s`)
  }
  console.log()
}

/** A valid program of that many characters, of every kind of declaration. */
function sourceOf(length) {
  let source = 'tool Files : Workspace("./notes", write: true)\n'
  for (let i = 0; source.length < length; i++) {
    source += `
// The clerk number ${i}.
policy Careful${i} : AllowTools("Files.*") & DenyArgs("Files.write", "path", "\\\\.test\\\\.") & ApproveEffects(write)
schema Verdict${i} { score: Number, reason: String, tags?: [String] }
agent Clerk${i} [openai/gpt-4o, temp: 0.2, max_steps: 8]
  system "You keep notes tidy, and number ${i} among them."
  equips Files
  requires Careful${i}
pipeline Tidy${i}(task: String, limit: Number = ${i}) -> Result:
  task
    |> Clerk${i}.work("Do this: {{task}}, at most {{limit}} times", tools: [Files]) as report
    |? { len(report) > 100 => Clerk${i}.shorten("Shorten it"), else => System.Value(report) } as short
    |<> loop(Clerk${i}, "len(context.data.short) > 100 && limit > 1", max: 3)
    |> System.Value({ report: short, at: [1, 2.5, limit] })
`
  }
  return source
}

function importing() {
  const run = (code) => {
    const started = performance.now()
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return performance.now() - started
  }
  const empty = []
  const whole = []
  for (let i = 0; i < 9; i++) {
    empty.push(run(''))
    whole.push(run("await import('halo')"))
  }
  console.log(`Import: ${(median(whole) - median(empty)).toFixed(0)} ms over an empty Node process (${median(empty).toFixed(0)} ms)\n`)
}

async function load() {
  const { pageFigures } = await import('./page.mjs')
  const { quick, slow, engine } = await pageFigures()
  console.log(`First load of the app: ${quick.scripts} scripts, ${quick.kilobytes.toFixed(0)} KB of gzip'd JavaScript`)
  for (const [name, { editor, longest, blocked }] of [['this machine', quick], ['slow 4G, CPU slowed 4 times', slow]]) {
    console.log(`  ${name}: editor there after ${editor.toFixed(0)} ms, longest task ${longest.toFixed(0)} ms, ${blocked.toFixed(0)} ms of long tasks over 50 ms`)
  }
  console.log(`  embedded engine, from opening the terminal to the answer of the first \`node -p\`: ${engine.toFixed(0)} ms\n`)
}

function us(ms) {
  return `${(ms * 1000).toFixed(1)} µs`
}
