/** Secrets out of a passkey: WebAuthn's PRF extension gives the same 32 bytes for the same passkey and input, and nothing else does. */
import { HaloError } from '../../halo/errors.ts'
import { randomBytes } from '../../storage/keys-crypto.ts'
import type { PasskeyId } from '../../storage/keys-record.ts'
import type { Secret } from '../../storage/keys.ts'
import { keysWords as words } from './keys-words.ts'

type PasskeySecret = Extract<Secret, { passkey: unknown }>

/** Whether it is worth offering: whether a particular passkey can do it shows when it is made. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function' && isSecureContext

/** Makes a passkey for this page and takes a first secret of it. @throws HaloError VALIDATION in words */
export async function makePasskey(): Promise<PasskeySecret> {
  const input = randomBytes(32)
  const made = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: randomBytes(32),
        rp: { name: 'Halo' },
        user: { id: randomBytes(16), name: 'Halo keys', displayName: 'Halo keys' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }],
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: { eval: { first: input } } },
      },
    }),
  )
  if (!made.getClientExtensionResults().prf?.enabled) throw new HaloError('VALIDATION', words.passkeyNone)
  const passkey = { id: new Uint8Array(made.rawId), input }
  const secret = secretOf(made)
  return secret ? { passkey, secret } : usePasskey(passkey)
}

/** The secret of a passkey made before. @throws HaloError VALIDATION in words */
export async function usePasskey(passkey: PasskeyId): Promise<PasskeySecret> {
  const got = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: randomBytes(32),
        allowCredentials: [{ type: 'public-key', id: passkey.id }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: passkey.input } } },
      },
    }),
  )
  const secret = secretOf(got)
  if (!secret) throw new HaloError('VALIDATION', words.passkeyNone)
  return { passkey, secret }
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null
  try {
    credential = await ask()
  } catch (cause) {
    throw new HaloError('VALIDATION', words.passkeyStopped, { cause })
  }
  if (!(credential instanceof PublicKeyCredential)) throw new HaloError('VALIDATION', words.passkeyStopped)
  return credential
}

function secretOf(credential: PublicKeyCredential): Uint8Array<ArrayBuffer> | undefined {
  const first = credential.getClientExtensionResults().prf?.results?.first
  if (!first) return undefined
  return ArrayBuffer.isView(first) ? new Uint8Array(first.buffer, first.byteOffset, first.byteLength).slice() : new Uint8Array(first).slice()
}
