/** The last look before something leaves: does it hold a key or a variable of this browser? */
import type { KeysContent } from '../../storage/keys-record.ts'
import type { SharedProject } from './shared-project.ts'

/** Shorter values are too common to be told from ordinary text; the runtime's own masking has the same bound. */
const SHORTEST = 8

/** Secret values by a name that a person knows them by. */
export type Secrets = Record<string, string>

export function secretsOf({ providers, env }: Readonly<KeysContent>): Secrets {
  const found = Object.entries(env).map(([name, value]) => [name, value] as const)
  for (const [provider, { apiKey, headers }] of Object.entries(providers)) {
    if (apiKey !== undefined) found.push([`the key for ${provider}`, apiKey])
    for (const [name, value] of Object.entries(headers ?? {})) found.push([`the header ${name} for ${provider}`, value])
  }
  return Object.fromEntries(found.filter(([, value]) => value.length >= SHORTEST))
}

/** Which secrets a project holds, by name, each with the places it is in. Empty: none. */
export function secretsIn(project: SharedProject, secrets: Secrets): { name: string; places: string[] }[] {
  const texts = placesOf(project)
  return Object.entries(secrets).flatMap(([name, value]) => {
    // In a recording a text stands as JSON has it.
    const forms = [...new Set([value, JSON.stringify(value).slice(1, -1)])]
    const places = texts.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ place }) => place)
    return places.length > 0 ? [{ name, places }] : []
  })
}

function placesOf({ name, files, workspace, fields, recording, pipeline = '', mode = '' }: SharedProject): { place: string; text: string }[] {
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  return [
    { place: 'the name', text: name },
    { place: 'what is chosen', text: `${pipeline}\n${mode}` },
    ...Object.entries(files).map(([path, text]) => ({ place: path, text: `${path}\n${text}` })),
    ...Object.entries(workspace).map(([path, bytes]) => ({ place: path, text: `${path}\n${decode(bytes)}` })),
    ...Object.entries(fields).flatMap(([owner, texts]) => Object.entries(texts).map(([field, text]) => ({ place: `the argument ${field} of ${owner}`, text }))),
    ...(recording ? [{ place: 'the recording', text: recording.lines }] : []),
  ]
}
