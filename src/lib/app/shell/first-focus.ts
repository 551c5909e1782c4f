/** The element of a dialog that has the focus as it opens, else that is its first. Set before the dialog shows, which then looks for it. */
export function firstFocus(node: HTMLElement): void {
  node.autofocus = true
}
