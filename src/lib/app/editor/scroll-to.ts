import type { StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/**
 * Shows a place in the middle. Far from what is drawn, the heights of wrapped lines are guesses until they are drawn, and the editor stops where the
 * place was guessed to be; so it is asked again once they are known.
 */
export function scrollTo(view: EditorView, at: number): StateEffect<unknown> {
  const effect = () => EditorView.scrollIntoView(at, { y: 'center' })
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (view.dom.isConnected && at <= view.state.doc.length) view.dispatch({ effects: effect() })
    }),
  )
  return effect()
}
