import { describe, expect, test } from 'vitest'
import { plan, planText } from '../../src/lib/halo/plan/index.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

const tidy = `
policy Careful : AllowTools("Files.*") & DenyTools("Files.delete") & ApproveEffects(write) & MaxSpend(0.50)

tool Files : Workspace("./notes", write: true)
tool Chat  : Slack(Env.SLACK_BOT_TOKEN, channel: "#notes")

agent Clerk [openai/gpt-4o, max_steps: 8]
  equips Files
  requires Careful

pipeline Tidy(task: String) -> Result:
  task
    |> Clerk.work(tools: [Files]) as report
    |> Chat.post(text: "{{report}}")
`
const prices = { 'openai/gpt-4o': { input: 5, output: 15 } }

describe('the text of a plan', () => {
  test('is the one the language documents', () => {
    expect(planText(plan(parse(tidy), { prices }))).toBe(
      [
        'Plan for Tidy',
        '',
        '  1      Clerk.work [openai/gpt-4o] ≤ $1.3802',
        '         may call Files.read: read',
        '         may call Files.write: write · needs approval (Careful)',
        '         may call Files.edit: write · needs approval (Careful)',
        '         may call Files.list: read',
        '         may call Files.glob: read',
        '         may call Files.search: read',
        '         may call Files.mkdir: write · needs approval (Careful)',
        '         chooses its own calls, up to 8 steps',
        '  2      Chat.post',
        '         calls Chat.post: external',
        '         Slack',
        '',
        'Acts on the world without asking: Chat.post',
        "Needs a person's approval: Files.write, Files.edit, Files.mkdir",
        'Worst-case model cost: $1.3802, but MaxSpend stops the run at $0.50',
        'Spend limit: Clerk stops once the run has spent $0.50 (policy Careful)',
      ].join('\n'),
    )
  })
})
