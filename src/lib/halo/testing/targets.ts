import { HaloError } from '../errors.ts'
import { matchesGlob, parseGlob } from '../policy/globs.ts'

/** Does a glob of a test's line, such as `Files.*`, mean this target? @throws HaloError VALIDATION when it is malformed */
export function targetMatches(glob: string, target: string): boolean {
  const parsed = parseGlob(glob)
  if ('fault' in parsed) throw new HaloError('VALIDATION', `${JSON.stringify(glob)}: ${parsed.fault}`)
  return matchesGlob(parsed, target)
}
