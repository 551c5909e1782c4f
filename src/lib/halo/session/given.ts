/** What comes from whoever uses a session, read at the door. */
import { HaloError } from '../errors.ts'
import type { Part } from '../models/types.ts'
import type { ModelRef } from '../syntax/ast.ts'

export function refuse(message: string): HaloError {
  return new HaloError('VALIDATION', message)
}

/** `provider/id`, as in the brackets of an agent. @throws HaloError VALIDATION */
export function modelOf(name: unknown): ModelRef {
  const [, provider, id] = (typeof name === 'string' ? /^([^/\s]+)\/(\S+)$/.exec(name.trim()) : null) ?? []
  if (provider === undefined || id === undefined) throw refuse(`A model is named provider/id, as in anthropic/claude-sonnet-4-5, not ${JSON.stringify(name) ?? 'nothing'}.`)
  return { provider, id, from: 0, to: 0 }
}

/** @throws HaloError VALIDATION for what is neither a data URL of an image nor a part. */
export function messageParts(images: readonly (string | Part)[]): Part[] {
  return images.map((image) => {
    const read = typeof image === 'string' ? fromDataUrl(image) : image
    // A text would go past what policies say of texts.
    if (read === undefined || !['image', 'file'].includes(read.type)) throw refuse('An image is a data URL (data:image/png;base64,…) or a part { type: "image", mimeType, data }.')
    return structuredClone(read)
  })
}

function fromDataUrl(url: string): Part | undefined {
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/.exec(url) ?? []
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data }
}
