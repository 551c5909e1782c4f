/** Text and bytes in the encodings that shells and Node programs name. */
export type Encoding = 'utf8' | 'utf-8' | 'ascii' | 'latin1' | 'binary' | 'base64' | 'base64url' | 'hex' | 'utf16le' | 'ucs2'

export function bytesOf(text: string, encoding: Encoding = 'utf8'): Uint8Array {
  switch (encoding) {
    case 'ascii':
    case 'latin1':
    case 'binary':
      return Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff)
    case 'base64':
    case 'base64url': {
      const plain = text.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '')
      return bytesOf(atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain), 'latin1')
    }
    case 'hex': {
      const pairs = /^(?:[0-9a-f]{2})*/i.exec(text)?.[0].match(/../g) ?? []
      return Uint8Array.from(pairs, (pair) => parseInt(pair, 16))
    }
    case 'utf16le':
    case 'ucs2':
      return new Uint8Array(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).buffer)
    default:
      return new TextEncoder().encode(text)
  }
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function textOf(bytes: Uint8Array, encoding: Encoding = 'utf8'): string {
  switch (encoding) {
    case 'ascii':
      return latin1(bytes.map((byte) => byte & 0x7f))
    case 'latin1':
    case 'binary':
      return latin1(bytes)
    case 'base64':
      return btoa(latin1(bytes))
    case 'base64url':
      return btoa(latin1(bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
    case 'hex':
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    case 'utf16le':
    case 'ucs2':
      return new TextDecoder('utf-16le').decode(bytes)
    default:
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let i = 0; i < bytes.length; i += 0x4000) parts.push(String.fromCharCode(...bytes.subarray(i, i + 0x4000)))
  return parts.join('')
}
