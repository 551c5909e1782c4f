import type { Workbench } from '../shell/workbench.svelte.ts'
import { literalText } from './analysis.svelte.ts'

/** The texts of the arguments a run would have now: the scenario's, else what is typed, else the defaults. */
export function argumentTexts(bench: Workbench): Map<string, string> {
  const pipeline = bench.pipeline()
  const scenario = bench.scenario()
  const { source } = bench.analysis
  const texts = new Map<string, string>()
  for (const { name, default: value } of pipeline?.params ?? []) if (value) texts.set(name, literalText(value, source))
  if (scenario) {
    scenario.args.forEach((arg, at) => {
      const name = arg.name ?? pipeline?.params[at]?.name
      if (name !== undefined) texts.set(name, literalText(arg.value, source))
    })
    return texts
  }
  for (const { name } of pipeline?.params ?? []) {
    const typed = bench.project?.field(pipeline?.name ?? '', name)
    if (typed) texts.set(name, typed)
  }
  return texts
}
