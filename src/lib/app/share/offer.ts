/** What the Share dialog offers: link, frame, file, and what is in them. */
import { saveAs } from '../files/save.ts'
import { regexRunner } from '../run/regex-worker.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { createJournalStore, type StoredRun } from '../../storage/index.ts'
import { toLines } from '../../halo/recordings/lines.ts'
import { toFileText, toLink, type Link } from './codec.ts'
import { gather, type Gathered, type ShareOptions } from './gather.ts'
import { redactRecording } from './redact.ts'
import { secretsIn, secretsOf } from './secrets.ts'
import type { SharedRecording } from './shared-project.ts'

export interface Offer extends Gathered, Link {
  url: string
  /** HTML of a frame. */
  frame: string
  /** Secrets that it would give away: then nothing is offered. */
  secrets: { name: string; places: string[] }[]
  /** The keys are locked, so nobody could look for them. */
  unchecked: boolean
}

export interface OfferOptions extends ShareOptions {
  recording?: SharedRecording
  /** As a frame; whether its text may be changed. */
  embed?: { editable: boolean }
}

export async function makeOffer(bench: Workbench, options: OfferOptions): Promise<Offer | undefined> {
  const { project, workspace } = bench
  if (!project) return undefined
  await workspace?.settled()
  const gathered = await gather(project, workspace, options, options.recording)
  if (options.embed) gathered.project.editable = options.embed.editable
  const kept = (await bench.keys()).secrets()
  const secrets = kept ? secretsIn(gathered.project, secretsOf(kept)) : []
  const { hash, size } = await toLink(gathered.project)
  const page = new URL(options.embed ? 'embed' : '.', pageFolder())
  const url = `${page.href}#${hash}`
  const frame = `<iframe src="${url}" title="${escaped(project.name)}" style="width: 100%; height: 480px; border: 0" allow="clipboard-write"></iframe>`
  return { ...gathered, hash, size, url, frame, secrets, unchecked: !kept }
}

/** The recording of a run, redacted, and whether any policy had a say in it. */
export async function offerRecording(bench: Workbench, run: StoredRun): Promise<{ recording: SharedRecording; ruled: boolean } | undefined> {
  const record = bench.db && (await createJournalStore(bench.db).load(run.runId))
  if (!record) return undefined
  const kept = (await bench.keys()).secrets()
  const { record: clean, ruled } = await redactRecording(record, kept ? secretsOf(kept) : {}, regexRunner())
  return { recording: { mode: run.mode ?? 'live', lines: toLines(clean) }, ruled }
}

export function saveFile({ project }: Offer): void {
  saveAs(new Blob([toFileText(project)], { type: 'application/json' }), project.name, '.halo.json', 'project')
}

/** The folder that the app lies in, from the workbench as from the embedded page. */
export function pageFolder(): string {
  const url = new URL(location.href)
  url.hash = ''
  url.search = ''
  return url.href.replace(/[^/]*$/, '')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
