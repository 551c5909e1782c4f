import { HaloError } from '../../halo/errors.ts'

const WORDS = {
  foreign: 'What stands after the # of this address is not a shared project. Your own work is as it was; check that the link is one made by Share.',
  newer: 'This link was made by a newer version of Halo than this page. Your own work is as it was; reload the page to get the newer version, then open the link again.',
  damaged: 'This shared project is damaged: a part of it is missing or was changed on the way. Your own work is as it was; ask for the link again, or for the project as a file.',
  big: 'This shared project is larger than a page should open from a link, and was not opened. Your own work is as it was; ask for the project as a file.',
  bigFile: 'This file is larger than a shared project may be, and was not opened.',
  notAFile: 'This file is not a shared project. Choose one that was saved by Share.',
} as const

export class ShareProblem extends HaloError {
  constructor(
    readonly kind: keyof typeof WORDS,
    cause?: unknown,
  ) {
    super('VALIDATION', WORDS[kind], { cause })
    this.name = 'ShareProblem'
  }
}

/** Why something shared can't be opened. One that already says why comes back as it is. */
export function shareProblem(kind: keyof typeof WORDS, cause?: unknown): ShareProblem {
  return cause instanceof ShareProblem ? cause : new ShareProblem(kind, cause)
}
