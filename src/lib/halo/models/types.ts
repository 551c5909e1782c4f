/** The one neutral form of a conversation; adapters translate it to and from their wire. */

export type Part =
  | { type: 'text'; text: string }
  /** `data` is base64 without a `data:` prefix. */
  | { type: 'image'; mimeType: string; data: string }
  | { type: 'file'; mimeType: string; data: string; name?: string }

export interface ToolCall {
  /** The provider's id of the call, or one made here; unique in its turn. */
  id: string
  /** The function's name as offered: `Tool__method`. */
  name: string
  args: Record<string, unknown>
  /** Set when the arguments could not be read as a JSON object; the text as it came. The model is told, nothing runs. */
  invalid?: string
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | Part[]
  toolCalls?: ToolCall[]
  /** On `tool` messages: the call answered and the function's name. */
  toolCallId?: string
  name?: string
  /** Parts a provider wants back unchanged (signatures, thinking blocks), under its prefix. Never shown to another. */
  opaque?: { provider: string; data: unknown }
}

/** A function as offered to a model. */
export interface FunctionTool {
  /** `Tool__method`, at most 64 characters of `[A-Za-z0-9_-]`. */
  name: string
  description: string
  /** JSON Schema of the arguments, an object. */
  parameters: JsonSchema
}

export type JsonSchema = { [key: string]: unknown }

export interface ModelRequest {
  /** The id after the provider's prefix. */
  model: string
  /** The prefix: `openai`. */
  provider: string
  system?: string
  /** The conversation so far, append-only: read it during the call, copy what is kept. */
  messages: readonly Message[]
  tools: readonly FunctionTool[]
  /** `none`: answer with text, call nothing; for the last request. */
  toolChoice: 'auto' | 'none'
  /** Ask for an answer of this shape (provider's structured output where it has one). */
  schema?: { name: string; schema: JsonSchema }
  maxTokens: number
  temperature?: number
  topP?: number
  seed?: number
  baseUrl?: string
  /** Who asks, for mocks and transcripts; never sent. */
  agent: string
  task: string
  /** 1 for the first request of the call, then 2, … */
  step: number
  /** `fetch` to be used for the wire. */
  fetch?: typeof fetch
}

/** Tokens, counted by the provider. `input` includes cached ones. */
export interface Usage {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** Part of `output`. */
  reasoning?: number
}

export type StopReason = 'stop' | 'tool_calls' | 'max_tokens' | 'content_filter' | 'other'

export type ModelChunk =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A whole call. Partial arguments are shown through `tool_delta`. */
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'tool_delta'; id: string; name?: string; args: string }
  | { type: 'opaque'; data: unknown }
  | { type: 'usage'; usage: Usage }
  | { type: 'stop'; reason: StopReason }
  /** The request and response as sent, without credentials; kept for the "raw" view only. */
  | { type: 'raw'; request: unknown; response?: unknown }

/** What a whole answer comes to, once the stream has ended. */
export interface ModelAnswer {
  text: string
  reasoning?: string
  toolCalls: ToolCall[]
  usage?: Usage
  stop: StopReason
  opaque?: unknown
}

export interface StreamingAdapter {
  /** Default true. false: an agent with tools on it fails with TOOL_CONFIG. */
  supportsTools?: boolean
  /** Default false: the schema asked for is written into the system prompt. true: the adapter sees to `request.schema` itself. */
  supportsSchema?: boolean
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk> | Iterable<ModelChunk>
}

/** The two-call form: the runtime does the request. */
export interface TwoCallAdapter {
  supportsTools?: boolean
  buildRequest(request: ModelRequest): BuiltRequest | Promise<BuiltRequest>
  parseResponse(json: unknown): ParsedResponse | Promise<ParsedResponse>
}
export interface BuiltRequest {
  url: string
  /** POST, if not given. */
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON unless it is a string. */
  body?: unknown
}
export interface ParsedResponse {
  text?: string
  toolCalls?: ToolCall[]
  usage?: Usage
  stop?: StopReason
}

export type ModelAdapter = StreamingAdapter | TwoCallAdapter

/** US dollars per million tokens. */
export interface Price {
  input: number
  output: number
  /** Absent: cached tokens cost what others do. */
  cacheRead?: number
  cacheWrite?: number
  /** What a whole request costs instead once its input has more than `above` tokens; ascending. */
  tiers?: PriceTier[]
}
export interface PriceTier {
  above: number
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
}
/** `{ "openai/gpt-4o": { input: 5, output: 15 } }`. */
export type PriceList = Record<string, Price>
