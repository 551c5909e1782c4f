/** What the parts of the AST builder share: the source, the path, and the faults found while building. */
import type { Diagnostic } from '../errors.ts'
import type { Cst } from './cst.ts'

export interface Build {
  source: string
  /** Added to every position of the tree: a condition's text stands somewhere in a file. */
  offset: number
  path?: string
  faults: Diagnostic[]
  /** The declaration being built has syntax errors: what only looks wrong because of them isn't reported. */
  broken: boolean
  /** Where those errors are. */
  stops: number[]
}

export interface Place {
  from: number
  to: number
}

export function textOf(build: Build, node: Place): string {
  return build.source.slice(node.from - build.offset, node.to - build.offset)
}

export function fault(build: Build, place: Place, message: string, fix?: Diagnostic['fix']): void {
  build.faults.push(syntaxFault(place, message, build.path, fix))
}

/** Whether the parser stopped before a place on its line: then it may only look wrong. */
export function isAfterStop(build: Build, at: number): boolean {
  return build.stops.some((stop) => stop <= at && !textOf(build, { from: stop, to: at }).includes('\n'))
}

export function syntaxFault(
  place: Place,
  message: string,
  path?: string,
  fix?: Diagnostic['fix'],
): Diagnostic {
  const found: Diagnostic = { code: 'syntax', severity: 'error', message, from: place.from, to: place.to }
  if (path !== undefined) found.file = path
  if (fix) found.fix = fix
  return found
}

export function placeOf(node: Cst): Place {
  return { from: node.from, to: node.to }
}

/** Where the parser gave up and something is missing, the nodes after it may be absent: those parts are left out. */
export function present<T>(items: (T | undefined)[]): T[] {
  return items.filter((item): item is T => item !== undefined)
}
