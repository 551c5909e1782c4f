/** The model providers as data: names, addresses, where the key comes from, and what is known of each without loading its adapter. */

/** What a provider's API can do. `docs/models.md` shows this table; tests/conformance/models.test.ts proves it cell by cell. */
export interface Capabilities {
  /** false: an agent with tools on it fails with TOOL_CONFIG. */
  supportsTools: boolean
  streaming: boolean
  /** Several calls in one turn. */
  parallelCalls: boolean
  /** How images of a tool's result reach the model: within the result, in a user message after it, or not at all. */
  images: 'in results' | 'after results' | 'prompt only' | 'no'
  /** `native`: the API is given the schema; `prompt`: the schema is written into the system prompt. */
  structuredOutput: 'native' | 'prompt'
  /** Tools off for the last request: asked of the API, or calls asked for then are ignored. */
  toolsOff: 'request' | 'ignored' | 'none'
  /** Token counts come with the answer. */
  usage: boolean
  /** Whether a web page may call it. `setting`: once the server allows the page's origin. */
  cors: 'yes' | 'no' | 'setting' | 'local'
}

export interface ProviderInfo {
  prefix: string
  /** As shown to people. */
  title: string
  /** Where requests go unless the person or the agent names another address. Absent: an address must be given, or none is needed. */
  baseUrl?: string
  /** Environment variables of the key and the address, for the command line. */
  keyVariable?: string
  urlVariable?: string
  /** A hosted API that answers nothing without a key. */
  needsKey: boolean
  /** Where a person gets a key. */
  keyUrl?: string
  /** What to do when a page's request was refused by CORS, or nothing listens. */
  reachHint: string
  /** What to do outside of a page when nothing listens on this machine. */
  startHint?: string
  capabilities: Capabilities
}

const chat: Capabilities = {
  supportsTools: true,
  streaming: true,
  parallelCalls: true,
  images: 'after results',
  structuredOutput: 'native',
  toolsOff: 'request',
  usage: true,
  cors: 'yes',
}

export const providers: readonly ProviderInfo[] = [
  {
    prefix: 'anthropic',
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    needsKey: true,
    keyUrl: 'https://platform.claude.com/settings/keys',
    reachHint: 'Anthropic takes calls from web pages; an organisation can forbid them, and then a gateway of your own is needed as base URL.',
    capabilities: { ...chat, images: 'in results' },
  },
  {
    prefix: 'openai',
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    needsKey: true,
    keyUrl: 'https://platform.openai.com/api-keys',
    reachHint: 'OpenAI takes calls from web pages; look for an extension, a firewall or a proxy that stops them.',
    capabilities: chat,
  },
  {
    prefix: 'openrouter',
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    urlVariable: 'OPENROUTER_BASE_URL',
    needsKey: true,
    keyUrl: 'https://openrouter.ai/settings/keys',
    reachHint: 'OpenRouter takes calls from web pages; look for an extension, a firewall or a proxy that stops them.',
    capabilities: chat,
  },
  {
    prefix: 'together',
    title: 'Together',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
    urlVariable: 'TOGETHER_BASE_URL',
    needsKey: true,
    keyUrl: 'https://api.together.ai/settings/api-keys',
    reachHint: 'If Together refuses this page, use the command line, or a gateway of your own as base URL.',
    capabilities: chat,
  },
  {
    prefix: 'google',
    title: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keyVariable: 'GEMINI_API_KEY',
    urlVariable: 'GEMINI_BASE_URL',
    needsKey: true,
    keyUrl: 'https://aistudio.google.com/apikey',
    reachHint: 'Gemini takes calls from web pages; a key that is limited to other websites is refused.',
    capabilities: chat,
  },
  {
    prefix: 'ollama',
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434',
    urlVariable: 'OLLAMA_HOST',
    needsKey: false,
    startHint: 'Start it with `ollama serve`.',
    reachHint: 'Start it with `ollama serve`; for a page from another address set OLLAMA_ORIGINS to that address (or *) and start it again, and let the page reach your local network if the browser asks.',
    capabilities: { ...chat, toolsOff: 'ignored', cors: 'setting' },
  },
  {
    prefix: 'replicate',
    title: 'Replicate',
    baseUrl: 'https://api.replicate.com',
    keyVariable: 'REPLICATE_API_TOKEN',
    urlVariable: 'REPLICATE_BASE_URL',
    needsKey: true,
    keyUrl: 'https://replicate.com/account/api-tokens',
    reachHint: 'Replicate takes no calls from web pages; use the command line, or a gateway of your own as base URL.',
    capabilities: {
      supportsTools: false,
      streaming: true,
      parallelCalls: false,
      images: 'no',
      structuredOutput: 'prompt',
      toolsOff: 'none',
      usage: true,
      cors: 'no',
    },
  },
  {
    prefix: 'openai-compatible',
    title: 'The OpenAI-compatible server',
    keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
    urlVariable: 'OPENAI_COMPATIBLE_BASE_URL',
    needsKey: false,
    startHint: 'Start the server, or correct its address.',
    reachHint:
      'Start the server and let it answer this page: LM Studio has "Enable CORS" in its server settings, vLLM takes --allowed-origins \'["*"]\', llama.cpp allows every origin. Let the page reach your local network if the browser asks.',
    capabilities: { ...chat, cors: 'setting' },
  },
  {
    prefix: 'browser',
    title: "The browser's built-in model",
    needsKey: false,
    reachHint: 'It needs a browser that has one, such as desktop Chrome.',
    capabilities: {
      supportsTools: false,
      streaming: true,
      parallelCalls: false,
      images: 'prompt only',
      structuredOutput: 'native',
      toolsOff: 'none',
      usage: true,
      cors: 'local',
    },
  },
  {
    prefix: 'mock',
    title: 'The mock model',
    needsKey: false,
    reachHint: 'It never leaves this machine.',
    capabilities: { ...chat, images: 'in results', cors: 'local' },
  },
]

const byPrefix = new Map(providers.map((info) => [info.prefix, info]))

export const providerInfo = (prefix: string): ProviderInfo | undefined => byPrefix.get(prefix)

/** As shown to people; a registered adapter has its prefix. */
export const providerTitle = (prefix: string): string => byPrefix.get(prefix)?.title ?? `The model provider "${prefix}"`
