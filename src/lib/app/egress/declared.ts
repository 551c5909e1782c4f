import { providers } from '../../halo/models/catalogue.ts'
import type { Program } from '../../halo/check/program.ts'

/**
 * Origins that the brackets of a program's tools, stores and agents name. They are agreed with the program: by writing it,
 * or for one from elsewhere by the question before its first run, which lists them. Texts and prompts don't count.
 */
export function declaredOrigins({ tools, stores, agents }: Pick<Program, 'tools' | 'stores' | 'agents'>): Set<string> {
  const origins = new Set<string>()
  const waiting: unknown[] = [
    ...[...tools.values(), ...stores.values()].map(({ provider }) => provider.args),
    ...[...agents.values()].map(({ options }) => options),
  ]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      const origin = originOf(value)
      if (origin !== undefined) origins.add(origin)
    } else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value))
  }
  return origins
}

/** Where the providers of models are at home; without the person's key nothing is answered there. */
export const providerOrigins: ReadonlySet<string> = new Set(providers.flatMap(({ baseUrl }) => originOf(baseUrl ?? '') ?? []))

/** The origin of a whole web address; undefined for any other text. */
export function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^\s/]/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).origin
}
