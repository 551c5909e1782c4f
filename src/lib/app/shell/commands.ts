import { openDocs } from '../docs/open.ts'
import { docsWords } from '../docs/words.ts'
import { formatSource } from '../editor/format-source.ts'
import { examples } from '../project/examples.ts'
import type { Workbench } from './workbench.svelte.ts'
import { shellWords } from './words.ts'

const words = shellWords.commands

/** Everything the palette offers just now. */
export function commandsOf(bench: Workbench, open: (dialog: 'settings' | 'share' | 'projects' | 'versions') => void): { label: string; run: () => void }[] {
  const { project, layout } = bench
  return [
    ...(bench.busy ? [] : [{ label: words.run, run: () => void bench.run() }]),
    ...(bench.stoppable ? [{ label: words.stop, run: () => bench.stop() }] : []),
    { label: words.format, run: () => void formatSource(bench).catch(bench.report) },
    { label: words.editor, run: () => project && goTo(bench, project.active) },
    { label: words.problems, run: () => layout.showBottom('problems') },
    { label: words.terminal, run: () => layout.showBottom('terminal') },
    { label: words.plan, run: () => layout.show('plan') },
    { label: words.graph, run: () => layout.show('graph') },
    { label: words.recordings, run: () => layout.show('recordings') },
    { label: words.settings, run: () => open('settings') },
    { label: words.share, run: () => open('share') },
    { label: words.projects, run: () => open('projects') },
    { label: words.versions, run: () => open('versions') },
    { label: words.exportZip, run: () => void import('../project/transfer.ts').then(({ exportProject }) => exportProject(bench)).catch(bench.report) },
    { label: docsWords.open, run: () => void openDocs().catch(bench.report) },
    ...(project?.example && !project.elsewhere ? [{ label: words.reset, run: () => void bench.resetExample() }] : []),
    ...Object.keys(project?.files ?? {}).map((path) => ({ label: words.file(path), run: () => goTo(bench, path) })),
    ...examples.map((example) => ({ label: words.example(example.title), run: () => void bench.openExample(example) })),
  ]
}

/** Into a file of the project, where the cursor was last. */
function goTo(bench: Workbench, path: string): void {
  const { cursor } = bench
  const at = cursor?.file === path ? cursor.at : 0
  bench.reveal({ from: at, to: at, file: path })
}
