/** Reads a command's words. Whatever doesn't fit is a UsageError that shows how the command is written. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearest } from '../lib/halo/check/nearest.ts'
import { messageOf } from '../lib/halo/errors.ts'
import { UsageError } from './exit.ts'

type Options = NonNullable<ParseArgsConfig['options']>

export interface Described {
  /** `run F [--pipeline P] …`. */
  usage: string
  about: string
}

export interface Command<O extends Options> extends Described {
  options: O
  /** How many words it takes beside its options. */
  least: number
  most: number
}

/** Keeps the options' own types. */
export function command<const O extends Options>(described: Command<O>): Command<O> {
  return described
}

export function readWords<O extends Options>(words: string[], { usage, options, least, most }: Command<O>) {
  let read
  try {
    read = parseArgs({ args: words, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${inWords(error, Object.keys(options))}\nUsage: halo ${usage}`)
  }
  const { length } = read.positionals
  if (length < least || length > most) {
    throw new UsageError(`${length < least ? `${missing(usage, length)} is missing` : `${JSON.stringify(read.positionals[most])} is too much`}.\nUsage: halo ${usage}`)
  }
  return read
}

/** Of an option that isn't there Node says how to pass it as a word; that is never what was meant. */
function inWords(error: unknown, options: string[]): string {
  const [, unknown] = /^Unknown option '-*([^']*)'/.exec(messageOf(error)) ?? []
  if (unknown === undefined) return messageOf(error)
  const like = nearest(unknown, options)
  return `There is no option --${unknown}.${like === undefined ? '' : ` Do you mean --${like}?`}`
}

/** What the word of this index stands for: `ID` for the second of `resume F ID --payload …`. */
function missing(usage: string, index: number): string {
  const [name = ''] = usage.split(' ').slice(index + 1)
  return name.startsWith('F') ? 'A file' : name
}
