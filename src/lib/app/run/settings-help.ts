import { providers } from '../../halo/models/catalogue.ts'
import type { ErrorCode } from '../../halo/errors.ts'

/** Failures that something in Settings can mend: of models and variables, and those whose sentence names the place itself. */
export function settingsHelp({ code, message }: { code: ErrorCode; message: string }): boolean {
  return code === 'MODEL_ERROR' || code === 'NETWORK' || /\bSettings\b/.test(message)
}

/** The provider that a sentence is about: the longest of their names in it. */
export function providerIn(message: string): string | undefined {
  return providers.filter(({ title }) => message.includes(title)).sort((a, b) => b.title.length - a.title.length)[0]?.prefix
}
