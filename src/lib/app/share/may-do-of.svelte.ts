import type { Workbench } from '../shell/workbench.svelte.ts'
import type { MayDo } from './may-do.ts'

/**
 * What the chosen run may do, kept up to date; undefined until it is known. `errors`: it can't be said. Call it while a
 * component is set up.
 */
export function mayDoOf(bench: Workbench): { readonly may: MayDo | undefined; readonly state: 'waiting' | 'known' | 'errors' | 'none' } {
  let may = $state.raw<MayDo>()
  let failed = $state(false)
  const names = $derived.by(() => {
    const { tests } = bench.analysis
    const chosen = bench.mode() === 'tests' ? tests.map((test) => test.pipeline.name) : [bench.pipeline()?.name]
    return chosen.filter((name, at): name is string => name !== undefined && chosen.indexOf(name) === at)
  })
  $effect(() => {
    const { file, checked } = bench.analysis
    const wanted = names
    if (!file || !checked || wanted.length === 0) return
    let over = false
    import('./may-do.ts')
      .then(({ mayDo }) => mayDo(file, wanted))
      .then(
        (made) => {
          if (over) return
          may = made
          failed = false
        },
        () => {
          if (!over) failed = true
        },
      )
    return () => (over = true)
  })
  return {
    get may() {
      return may
    },
    get state() {
      if (failed || bench.analysis.errors > 0) return 'errors'
      if (bench.analysis.checked && names.length === 0) return 'none'
      return may ? 'known' : 'waiting'
    },
  }
}
