/** Modules that the Lezer plugin makes of a grammar file. */
declare module '*.grammar' {
  import type { LRParser } from '@lezer/lr'
  export const parser: LRParser
}

declare module '*.grammar.terms' {
  export const MissingEnd: number
  export const MissingComma: number
  export const identifier: number
  export const importHead: number
  export const policyHead: number
  export const toolHead: number
  export const storeHead: number
  export const schemaHead: number
  export const agentHead: number
  export const pipelineHead: number
  export const testHead: number
}
