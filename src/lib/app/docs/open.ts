import { mount, unmount } from 'svelte'
import { slug } from './sections.ts'

/**
 * Opens the documentation over whatever is on the page, which need know nothing of it.
 * @param at a page, or a place in one: `errors#unknown-name`
 */
export async function openDocs(at?: string): Promise<void> {
  const { default: DocsDialog } = await import('./DocsDialog.svelte')
  const shown: Record<string, unknown> = mount(DocsDialog, { target: document.body, props: { at, onclose: () => void unmount(shown) } })
}

/** Where a code of an error or of a diagnostic is explained. */
export const placeOfCode = (code: string): string => `errors#${slug(code)}`
