import { gunzipSync, gzipSync } from 'fflate'
import { messageOf } from '../../../errors.ts'
import { normalise } from '../../paths.ts'
import { bytesOf as bytes, joinBytes } from '../encoding.ts'
import { posixError } from '../shell-files.ts'
import { bytesResult, stdinBytes, type Run } from './program.ts'

const MAX_UNPACKED = 256 << 20

/** `gzip`, `gunzip` and `zcat`: -c -d -k -f -t -v, levels, files or standard input. just-bash's own need Node's zlib. */
export function gzip(name: 'gzip' | 'gunzip' | 'zcat'): Run {
  return (args, { files }, context) => {
    let unpack = name !== 'gzip'
    let toStdout = name === 'zcat'
    let keep = false
    let force = false
    let test = false
    let level: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 = 6
    const words: string[] = []
    for (const arg of args) {
      if (!arg.startsWith('-') || arg === '-') words.push(arg)
      else if (arg.startsWith('--')) {
        if (arg === '--decompress' || arg === '--uncompress') unpack = true
        else if (arg === '--stdout' || arg === '--to-stdout') toStdout = true
        else if (arg === '--keep') keep = true
        else if (arg === '--force') force = true
        else if (arg === '--test') test = true
        else if (!['--quiet', '--verbose', '--best', '--fast', '--no-name', '--name'].includes(arg)) return bytesResult(new Uint8Array(), bytes(`${name}: unrecognized option '${arg}'\n`), 1)
      } else {
        for (const letter of arg.slice(1)) {
          if (letter === 'd') unpack = true
          else if (letter === 'c') toStdout = true
          else if (letter === 'k') keep = true
          else if (letter === 'f') force = true
          else if (letter === 't') test = true
          else if (/\d/.test(letter)) level = Number(letter) as typeof level
          else if (!'qvnN'.includes(letter)) return bytesResult(new Uint8Array(), bytes(`${name}: invalid option -- '${letter}'\n`), 1)
        }
      }
    }
    const out: Uint8Array[] = []
    const errors: string[] = []
    const turn = (content: Uint8Array) => (unpack || test ? gunzip(content) : gzipSync(content, { level }))
    if (words.length === 0 || words.includes('-')) {
      try {
        const result = turn(stdinBytes(context))
        if (!test) out.push(result)
      } catch (error) {
        errors.push(`${name}: stdin: ${messageOf(error)}\n`)
      }
    }
    for (const word of words.filter((w) => w !== '-')) {
      const path = normalise(word, context.cwd)
      try {
        if (!unpack && !test && !toStdout && word.endsWith('.gz')) {
          errors.push(`${name}: ${word} already has .gz suffix -- unchanged\n`)
          continue
        }
        if (unpack && !test && !toStdout && !/\.t?gz$/.test(word)) {
          errors.push(`${name}: ${word}: unknown suffix -- ignored\n`)
          continue
        }
        const result = turn(files.read(path))
        if (test) continue
        if (toStdout) {
          out.push(result)
          continue
        }
        const target = unpack ? path.replace(/\.gz$/, '').replace(/\.tgz$/, '.tar') : `${path}.gz`
        if (!force && files.lstat(target)) {
          errors.push(`${name}: ${target} already exists; not overwritten\n`)
          continue
        }
        files.write(target, result)
        if (!keep) files.remove(path)
      } catch (error) {
        errors.push(`${name}: ${word}: ${messageOf(posixError(error, 'open', word))}\n`)
      }
    }
    return bytesResult(joinBytes(out), bytes(errors.join('')), errors.length > 0 ? 1 : 0)
  }
}

/** Refuses what says it unpacks to too much, before any of it is unpacked. */
export function gunzip(content: Uint8Array): Uint8Array {
  if (content[0] !== 0x1f || content[1] !== 0x8b || content.length < 18) throw new Error('not in gzip format')
  const size = new DataView(content.buffer, content.byteOffset, content.byteLength).getUint32(content.length - 4, true)
  if (size > MAX_UNPACKED) throw new Error(`it unpacks to ${size} bytes; the limit is ${MAX_UNPACKED}`)
  return gunzipSync(content, { out: new Uint8Array(size) })
}
