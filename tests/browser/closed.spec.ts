import { expect, test, type Page } from '@playwright/test'
import { openaiProtocol } from '../conformance/servers/openai.ts'
import { scripted, type ScriptedServer } from '../conformance/servers/script.ts'
import { button, cards, files, status, transcript, write } from './bench.ts'
import { underWay, withLives, type Death } from './lives.ts'
import { world, type World } from './world.ts'

/**
 * The tab is really closed, the browser quit or its process killed, at many points of a run. Opened again the run goes on,
 * or asks what became of an unfinished write; it ends as it would have, and each write has happened once.
 */
const banner = (page: Page, title: RegExp) => page.getByRole('region', { name: title })

async function enter(page: Page): Promise<void> {
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: /^Text of/ })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('combobox', { name: 'Mode' })).toHaveValue(/./)
}
async function begin(page: Page, source: string, mode: string): Promise<void> {
  await enter(page)
  await write(page, source)
  await expect(page.getByRole('combobox', { name: 'Pipeline' })).toHaveValue('Go')
  await page.getByRole('combobox', { name: 'Mode' }).selectOption(mode)
  await button(page, 'Run').click()
}
/** A run that was cut off while it worked. */
async function resume(page: Page): Promise<void> {
  await banner(page, /cut off/).getByRole('button', { name: 'Look at it' }).click()
  await expect(transcript(page)).toContainText('The page closed while this run was under way')
  await button(page, 'Resume').click()
}
/** A run that waits for a person. */
async function look(page: Page): Promise<void> {
  await banner(page, /waiting for you/).getByRole('button', { name: 'Open it' }).click()
}
const allow = async (page: Page, at: number) => button(cards(page).nth(at), 'Allow').click()

interface Servers {
  world: World
  model: ScriptedServer
}
interface Point {
  where: string
  how: Death
  mode?: string
  source(servers: Servers): string
  /** What the model says, before and after. */
  answers?: ScriptedServer['answers']
  /** Brings the run to the point. */
  until?(page: Page, servers: Servers): Promise<void>
  /** In each life after the first: goes on with it. All but the last bring it to the next point. */
  after: ((page: Page, servers: Servers) => Promise<void>)[]
  output: string
  /** How often the world was asked for each path, in the end. */
  world?: Record<string, number>
  requests?: number
}

const http = ({ world }: Servers) => `tool World : Http(base_url: "${world.url}")\n`
const careful = (servers: Servers) => `policy Ask : ApproveEffects(external)\n${http(servers)}`
const poet = ({ model }: Servers, more = '') => `agent Poet [openai-compatible/qwen3-8b, base_url: "${model.url}/v1"]\npipeline Go(task: String = "rain") -> String : task |> Poet.write("About")${more}\n`
const post = (path: string) => `World.post(path: "${path}", body: { n: 1 })`
const asks = (path: string) => async (_: Page, { world }: Servers) => expect.poll(() => world.count(path), { timeout: 20_000 }).toBe(1)
const waits = (n: number) => async (page: Page) => expect(cards(page).getByRole('button', { name: 'Allow' })).toHaveCount(n, { timeout: 20_000 })
const happened = async (page: Page, result: unknown) => {
  const card = transcript(page).getByRole('group', { name: /A call was cut off/ })
  await card.getByRole('textbox', { name: 'Its result as JSON' }).fill(JSON.stringify(result))
  await button(card, 'It has happened').click()
}

const points: Point[] = [
  {
    where: 'while a card waits',
    how: 'tab',
    source: (s) => `${careful(s)}pipeline Go(task: String = "go") -> String requires Ask : task |> ${post('add')} as it |> System.Value("added {{it.body.n}}")\n`,
    until: waits(1),
    after: [async (page) => (await look(page), await allow(page, 0))],
    output: 'added 1',
    world: { '/add': 1 },
  },
  {
    where: 'in a model call',
    how: 'kill',
    source: poet,
    answers: [{ fault: 'hang' }, { text: ['Rain falls.'] }],
    until: async (_, { model }) => expect.poll(() => model.understood.length, { timeout: 20_000 }).toBe(1),
    after: [resume],
    output: 'Rain falls.',
    requests: 2,
  },
  {
    where: 'while an agent streams',
    how: 'browser',
    source: poet,
    answers: [{ text: ['Drops ', 'fall'], fault: 'hang' }, { text: ['Drops fall, and stop.'] }],
    until: async (page) => expect(transcript(page)).toContainText('Drops fall', { timeout: 20_000 }),
    after: [resume],
    output: 'Drops fall, and stop.',
    requests: 2,
  },
  {
    where: 'in the wait before a model is asked again',
    how: 'kill',
    source: (s) => poet(s, ' @retry(2, backoff: exponential)'),
    answers: [{ refuse: { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '60' } } }, { text: ['At last.'] }],
    until: async (_, { model }) => {
      await expect.poll(() => model.received.length, { timeout: 20_000 }).toBe(1)
      expect(await model.received[0]?.closedEarly).toBe(false)
    },
    after: [resume],
    output: 'At last.',
    requests: 2,
  },
  {
    where: 'in a read',
    how: 'kill',
    source: (s) => `${http(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add')} |> World.get(path: "hang") as it |> ${post('add')} |> System.Value("read {{it.body.n}}")\n`,
    until: asks('/hang'),
    // Reads are repeated, and nobody is asked.
    after: [resume],
    output: 'read 2',
    world: { '/add': 2, '/hang': 2 },
  },
  {
    where: 'in a write that may have happened',
    how: 'kill',
    source: (s) => `${http(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add')} |> ${post('hang')} as it |> ${post('add')} |> System.Value("wrote {{it.body.n}}")\n`,
    until: asks('/hang'),
    after: [async (page) => (await resume(page), await happened(page, { status: 200, headers: {}, body: { n: 1 } }))],
    output: 'wrote 1',
    world: { '/add': 2, '/hang': 1 },
  },
  {
    where: 'in a long command',
    how: 'tab',
    source: () => `tool Shell : Bash()
pipeline Go(task: String = "go") -> String :
  task |> Shell.run(command: "echo one >> log.txt") |> Shell.run(command: "echo two >> other.txt; sleep 60") |> Shell.run(command: "cat log.txt") as it |> System.Value("log: {{it.stdout}}end")\n`,
    until: async (page) => {
      await expect(files(page).getByRole('treeitem', { name: /log\.txt/ })).toBeVisible({ timeout: 20_000 })
      await underWay(page, 'Shell.run')
    },
    after: [async (page) => (await resume(page), await happened(page, { exitCode: 0, stdout: '', stderr: '', durationMs: 1, changed: [] }))],
    output: 'log: one\nend',
  },
  {
    where: 'in a yield',
    how: 'kill',
    source: (s) => `${http(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add')} |! yield("Which colour?") as colour |> System.Value("chosen: {{input}}")\n`,
    until: async (page) => expect(transcript(page).getByRole('group', { name: /Waits for you/ })).toBeVisible({ timeout: 20_000 }),
    after: [
      async (page) => {
        await look(page)
        await transcript(page).getByRole('textbox', { name: /^Answer/ }).fill('green')
        await button(page, 'Go on').click()
      },
    ],
    output: 'chosen: green',
    world: { '/add': 1 },
  },
  {
    where: 'in a listen',
    how: 'browser',
    source: (s) => `${http(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add')} ~> listen("paid", timeout: 1h) as paid |> System.Value("thanks {{paid.from}}")\n`,
    until: async (page) => expect(transcript(page).getByRole('group', { name: /Waits for the event/ })).toBeVisible({ timeout: 20_000 }),
    after: [
      async (page) => {
        await look(page)
        await transcript(page).getByRole('textbox', { name: 'Payload as JSON' }).fill('{ "from": "Ada" }')
        await button(page, 'Send event').click()
      },
    ],
    output: 'thanks Ada',
    world: { '/add': 1 },
  },
  {
    where: 'in parallel branches with two cards open',
    how: 'kill',
    source: (s) => `${careful(s)}pipeline Go(task: String = "go") -> String requires Ask :
  task |* { ${post('add-a')} as a, ${post('add-b')} as b } |> System.Value("both: {{a.body.path}} {{b.body.path}}")\n`,
    until: waits(2),
    after: [async (page) => (await look(page), await waits(2)(page), await allow(page, 1), await allow(page, 0))],
    output: 'both: /add-a /add-b',
    world: { '/add-a': 1, '/add-b': 1 },
  },
  {
    where: 'over the items of a list, one answered and one not',
    how: 'kill',
    source: (s) => `${careful(s)}pipeline Go(task: String = "go") -> String requires Ask :
  ["x", "y"] |* each(limit: 2) { World.post(path: "add-{{item}}", body: item) } |> System.Value("items: {{input[0].body.path}} {{input[1].body.path}}")\n`,
    until: async (page, { world }) => {
      await waits(2)(page)
      await allow(page, 0)
      await expect.poll(() => world.count('/add-x'), { timeout: 20_000 }).toBe(1)
      // What it came to is in the journal before it is shown.
      await expect(cards(page).first()).toContainText('allowed')
      await expect(transcript(page).getByRole('button', { name: /ok World\.post add-x/ })).toBeVisible()
    },
    after: [async (page) => (await look(page), await button(cards(page), 'Allow').click())],
    output: 'items: /add-x /add-y',
    world: { '/add-x': 1, '/add-y': 1 },
  },
  {
    where: 'within a nested pipeline',
    how: 'tab',
    source: (s) => `${careful(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add-out')} |> Inner() |> System.Value("out: {{input}}")
pipeline Inner(given: Any) -> String requires Ask : given |> World.get(path: "look") |> ${post('add-in')} as it |> System.Value("in {{it.body.n}}")\n`,
    until: waits(1),
    after: [async (page) => (await look(page), await allow(page, 0))],
    output: 'out: in 1',
    world: { '/add-out': 1, '/look': 1, '/add-in': 1 },
  },
  {
    where: 'twice: in a write, and in the question about it',
    how: 'kill',
    source: (s) => `${http(s)}pipeline Go(task: String = "go") -> String : task |> ${post('add')} |> ${post('hang')} as it |> World.get(path: "hang-later") |> ${post('add')} |> System.Value("wrote {{it.body.n}}")\n`,
    until: asks('/hang'),
    after: [
      async (page) => (await resume(page), await expect(transcript(page).getByRole('group', { name: /A call was cut off/ })).toBeVisible()),
      async (page, servers) => (await look(page), await happened(page, { status: 200, headers: {}, body: { n: 1 } }), await asks('/hang-later')(page, servers)),
      resume,
    ],
    output: 'wrote 1',
    world: { '/add': 2, '/hang': 1, '/hang-later': 2 },
  },
]

test.describe.configure({ timeout: 90_000 })

for (const point of points) {
  test(`closed ${point.where} (${point.how}): the run goes on, ends as it would have, and writes once`, async ({ baseURL }) => {
    const servers: Servers = { world: await world(), model: await scripted(openaiProtocol({ path: '/v1/chat/completions' })) }
    servers.model.answers.push(...(point.answers ?? []))
    try {
      await withLives(baseURL, async (lives) => {
        const first = await lives.begin()
        await begin(first, point.source(servers), point.mode ?? 'live')
        await point.until?.(first, servers)
        let page = first
        for (const act of point.after) {
          await lives.end(point.how)
          page = await lives.begin()
          await enter(page)
          await act(page, servers)
        }
        await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
        await expect(transcript(page).getByText(point.output.split('\n')[0] ?? '').last()).toBeVisible()
        for (const [path, times] of Object.entries(point.world ?? {})) expect(servers.world.count(path), path).toBe(times)
        if (point.requests !== undefined) expect(servers.model.received).toHaveLength(point.requests)
        // It is over: nothing of it waits any more, here or after another start.
        await page.reload()
        await expect(button(page, 'Run')).toBeVisible()
        await expect(banner(page, /cut off|waiting for you/)).toHaveCount(0)
      })
    } finally {
      await Promise.all([servers.world.close(), servers.model.close()])
    }
  })
}

test('killed the moment a write was answered, between two stages: it is asked about or taken over, and never made again', async ({ baseURL }) => {
  const servers: Servers = { world: await world(), model: await scripted(openaiProtocol({ path: '/v1/chat/completions' })) }
  try {
    await withLives(baseURL, async (lives) => {
      const first = await lives.begin()
      const answered = new Promise<void>((resolve) => (servers.world.onAnswered = (path) => path === '/add-first' && resolve()))
      await begin(first, `${http(servers)}pipeline Go(task: String = "go") -> String : task |> ${post('add-first')} as it |> World.get(path: "hang") |> ${post('add-last')} |> System.Value("first {{it.body.n}}")\n`, 'live')
      await answered
      await lives.end('kill')
      const page = await lives.begin()
      await enter(page)
      await resume(page)
      const asked = transcript(page).getByRole('group', { name: /A call was cut off/ })
      // Or its answer was written down, and the run hangs in the read.
      const goesOn = async () => (await asked.isVisible()) || (await status(page).textContent()) === 'completed' || servers.world.count('/hang') > 0
      await expect.poll(goesOn, { timeout: 20_000 }).toBe(true)
      if (await asked.isVisible()) await happened(page, { status: 200, headers: {}, body: { n: 1 } })
      // Where the kill came before the read was sent, the read of this life is the one that hangs.
      if (servers.world.count('/hang') < 2) {
        await expect.poll(() => servers.world.count('/hang'), { timeout: 10_000 }).toBeGreaterThan(0)
        if ((await status(page).textContent()) !== 'completed') {
          await lives.end('kill')
          const last = await lives.begin()
          await enter(last)
          await resume(last)
          await expect(status(last)).toHaveText('completed', { timeout: 20_000 })
          await expect(transcript(last).getByText('first 1').last()).toBeVisible()
        }
      } else await expect(status(page)).toHaveText('completed', { timeout: 20_000 })
      expect(servers.world.count('/add-first')).toBe(1)
      expect(servers.world.count('/add-last')).toBe(1)
    })
  } finally {
    await Promise.all([servers.world.close(), servers.model.close()])
  }
})

for (const how of ['tab', 'kill'] as const) {
  test(`what was typed up to a second before the end (${how}) is there again`, async ({ baseURL }) => {
    await withLives(baseURL, async (lives) => {
      const page = await lives.begin()
      await enter(page)
      await write(page, '// the first line\n')
      const typed: string[] = []
      const began = Date.now()
      // Typing never pauses, so nothing waits for a pause to be stored.
      for (let word = 0; Date.now() - began < 3000; word++) {
        await page.keyboard.type(`word${word} `)
        typed.push(`word${word}`)
      }
      const last = typed.at(-1) ?? ''
      // The second is what is promised.
      await page.waitForTimeout(1000)
      await lives.end(how)
      const again = await lives.begin()
      await enter(again)
      const text = again.getByRole('textbox', { name: /^Text of/ })
      await expect(text).toContainText('the first line')
      await expect(text).toContainText(last)
    })
  })
}
