import { tick } from 'svelte'
import type { Workbench } from '../shell/workbench.svelte.ts'

/** Shows a stage's place in the transcript, of the run or of the recording that is open, and puts the focus there. */
export async function showStage(bench: Workbench, path: string): Promise<void> {
  const { travel } = bench
  if (travel) travel.goToStage(path)
  bench.layout.show(travel ? 'recordings' : 'run')
  // What shows it may have to be loaded first.
  for (let tries = 0; tries < 60; tries++) {
    await tick()
    const section = document.querySelector<HTMLElement>(`[role=region][aria-label=Transcript] [data-stage="${CSS.escape(path)}"]`)
    if (section) {
      section.scrollIntoView({ block: 'start' })
      section.tabIndex = -1
      section.focus({ preventScroll: true })
      return
    }
    await new Promise(requestAnimationFrame)
  }
}
