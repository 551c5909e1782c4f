/** The built-in providers. Each record is light; what a method needs is loaded when it is called. */
import type { ProviderDefinition } from './types.ts'

export const catalogue: readonly ProviderDefinition[] = []
