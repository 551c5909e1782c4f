/** The box above a word that is pointed at: a line of code, and lines of text below. */
import type { Tooltip } from '@codemirror/view'

export function tooltipAbove(node: { from: number; to: number }, title: string, lines: readonly string[]): Tooltip {
  const element = (name: 'code' | 'div', text: string) => Object.assign(document.createElement(name), { textContent: text })
  return {
    pos: node.from,
    end: node.to,
    above: true,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'cm-halo-hover'
      dom.append(element('code', title), ...lines.filter((line) => line !== '').map((line) => element('div', line)))
      return { dom }
    },
  }
}
