/** Every adapter that speaks to a server, with the server it is tried on and what its provider's documentation leads one to expect. */
import { anthropicProtocol } from './anthropic.ts'
import { googleProtocol } from './google.ts'
import { ollamaProtocol } from './ollama.ts'
import { openaiProtocol } from './openai.ts'
import { replicateProtocol } from './replicate.ts'
import type { Protocol } from './script.ts'

export interface Case {
  prefix: string
  model: string
  protocol: () => Protocol
  /** What stands between the server's address and the paths of the API. */
  base: string
  /** Arguments come as text, and so can be cut or wrong. */
  textArguments?: boolean
  /** The provider's own ids of calls are used. */
  ids?: boolean
  reasoning?: boolean
  /** What the provider wants back. */
  opaque?: boolean
  cached?: 'read' | 'read and write'
  /** Whether a request that may call can also be given a schema. */
  schemaBesideTools?: boolean
  key?: boolean
}

const chat = (limit = 'max_tokens', comments = false) => () => openaiProtocol({ path: '/v1/chat/completions', limit, comments })

export const cases: Case[] = [
  { prefix: 'openai', model: 'gpt-4o', protocol: chat('max_completion_tokens'), base: '/v1', textArguments: true, ids: true, reasoning: true, cached: 'read', schemaBesideTools: true, key: true },
  {
    prefix: 'openrouter', model: 'anthropic/claude-sonnet-4.5', protocol: () => openaiProtocol({ path: '/api/v1/chat/completions', comments: true }), base: '/api/v1',
    textArguments: true, ids: true, reasoning: true, opaque: true, cached: 'read', schemaBesideTools: true, key: true,
  },
  { prefix: 'together', model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo', protocol: chat(), base: '/v1', textArguments: true, ids: true, reasoning: true, cached: 'read', schemaBesideTools: true, key: true },
  { prefix: 'openai-compatible', model: 'qwen3', protocol: chat(), base: '', textArguments: true, ids: true, reasoning: true, cached: 'read', schemaBesideTools: true, key: true },
  { prefix: 'anthropic', model: 'claude-sonnet-4-5', protocol: () => anthropicProtocol, base: '', textArguments: true, ids: true, reasoning: true, opaque: true, cached: 'read and write', schemaBesideTools: true, key: true },
  { prefix: 'google', model: 'gemini-3-pro-preview', protocol: () => googleProtocol, base: '', reasoning: true, opaque: true, ids: true, cached: 'read', schemaBesideTools: true, key: true },
  { prefix: 'ollama', model: 'qwen3', protocol: () => ollamaProtocol, base: '', reasoning: true },
  { prefix: 'replicate', model: 'meta/meta-llama-3-70b-instruct', protocol: () => replicateProtocol(), base: '', key: true },
]
