/** Faults of a declaration's tree. */
import type { Build } from './context.ts'
import { fault } from './context.ts'
import type { Cst } from './cst.ts'

export function treeFaults(build: Build, node: Cst): void {
  if (node.error) fault(build, node, 'Syntax error')
  else if (node.name === 'MissingEnd') fault(build, node, 'A bracket is never closed')
  node.children.forEach((c) => treeFaults(build, c))
}
