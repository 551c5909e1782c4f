/**
 * What every rule, decorator, option, stage form and function of the language takes, as data. The checker, completion, hover
 * texts and the reference are all read from here.
 */

/** What kind of value an argument takes; `words` lists the bare words where it takes one. */
export type ArgumentKind =
  | 'text' | 'number' | 'integer' | 'duration' | 'boolean' | 'glob' | 'regex' | 'word' | 'expression' | 'condition'
  | 'schema' | 'tools' | 'tool' | 'model' | 'agent' | 'list' | 'url'

export interface Parameter {
  name: string
  kind: ArgumentKind
  doc: string
  /** May be left out. */
  optional?: boolean
  /** For `word`, and beside a text for Redact's kinds. */
  words?: readonly string[]
  /** How a regular expression is used: it matches somewhere (the default), the whole text, or is replaced. */
  use?: 'search' | 'whole' | 'replace'
  /** What comes of a regular expression that matches every text. */
  always?: string
  /** Bounds of a number, both included. */
  min?: number
  max?: number
}

export interface Signature {
  name: string
  doc: string
  /** By position; most can be given by name too, see `byName`. */
  positional: readonly Parameter[]
  /** Any number more by position, at least one where `positional` is empty. */
  rest?: Parameter
  /** By name only. */
  named: readonly Parameter[]
  /** Positional ones can be written `name: value` too. */
  byName?: boolean
  /** Any other named argument is taken as well: the names are the user's own. */
  open?: Parameter
  example: string
}

const glob: Parameter = { name: 'glob', kind: 'glob', doc: 'Tool.method, with * for any run of characters within one side.' }
const regex: Parameter = { name: 'regex', kind: 'regex', doc: 'A JavaScript regular expression.' }
const refusing: Parameter = { ...regex, always: 'every call that the glob matches is refused.' }
const whole: Parameter = { ...regex, use: 'whole', doc: 'A JavaScript regular expression that the whole value has to match.' }
const on: Parameter = {
  name: 'on', kind: 'word', words: ['input', 'output', 'both'], optional: true,
  doc: 'What it looks at: what goes into the model, its answer, or both (the default).',
}
const count = (name: string, doc: string, min = 1): Parameter => ({ name, kind: 'integer', min, doc })
const optional = (parameter: Parameter): Parameter => ({ ...parameter, optional: true })

/** Kinds of text that Redact knows by name. */
export const REDACT_KINDS = ['email', 'phone', 'credit_card', 'iban', 'api_key', 'ip'] as const
export const EFFECTS = ['read', 'write', 'external'] as const

const list = (...signatures: Signature[]): ReadonlyMap<string, Signature> => new Map(signatures.map((s) => [s.name, s]))

/** The rules of a policy. */
export const RULES = list(
  { name: 'AllowTools', doc: 'Only calls that match one of its globs. Each AllowTools rule must allow.', positional: [], rest: glob, named: [], example: 'AllowTools("Code.*", "Tests.run")' },
  { name: 'DenyTools', doc: 'Never these; deny wins.', positional: [], rest: glob, named: [], example: 'DenyTools("Code.delete")' },
  {
    name: 'DenyArgs', doc: 'Refuses a call when any argument value matches, or one named argument does.',
    positional: [glob, { name: 'arg', kind: 'text', optional: true, doc: 'The one argument to look at; all without it.' }, refusing], named: [], open: refusing,
    example: "DenyArgs(\"Code.write\", path: '\\.test\\.')",
  },
  {
    name: 'AllowArgs', doc: 'Refuses a call unless the whole value of the named argument matches.',
    positional: [glob, { name: 'arg', kind: 'text', doc: 'The argument to look at.' }, whole], named: [], open: whole,
    example: "AllowArgs(\"Files.write\", path: 'notes/.*\\.md')",
  },
  { name: 'ApproveTools', doc: 'The call waits for a person.', positional: [], rest: glob, named: [], example: 'ApproveTools("Files.write")' },
  { name: 'ApproveEffects', doc: 'Calls with one of these effects wait for a person. Effects don\'t imply each other.', positional: [], rest: { name: 'effect', kind: 'word', words: EFFECTS, doc: 'read, write or external.' }, named: [], example: 'ApproveEffects(write, external)' },
  { name: 'ApproveCategories', doc: 'Calls of tools in one of these categories wait for a person.', positional: [], rest: { name: 'category', kind: 'text', doc: 'A category of @category or of the provider.' }, named: [], example: 'ApproveCategories("payment")' },
  { name: 'MaxSpend', doc: 'A hard limit in US dollars on the run\'s spend, for the agents that require it.', positional: [{ name: 'dollars', kind: 'number', min: 0, doc: 'US dollars.' }], named: [], example: 'MaxSpend(0.50)' },
  { name: 'MaxCalls', doc: 'At most so many calls that match the glob run.', positional: [glob, count('n', 'How many.', 0)], named: [], example: 'MaxCalls("Web.fetch", 20)' },
  { name: 'MaxSteps', doc: 'At most so many model requests in the run.', positional: [count('n', 'How many.', 0)], named: [], example: 'MaxSteps(50)' },
  { name: 'Redact', doc: 'Replaces what matches by [redacted].', positional: [], rest: { ...regex, words: REDACT_KINDS, use: 'replace', always: 'all text is replaced.', doc: 'A regular expression, or email, phone, credit_card, iban, api_key, ip.' }, named: [on], example: 'Redact("email", on: output)' },
  { name: 'Block', doc: 'Blocks a prompt, withholds a tool result, rejects an answer that matches.', positional: [], rest: { ...regex, always: 'every text is blocked.' }, named: [on], example: 'Block("secret", on: output)' },
)

const tools: Parameter = { name: 'tools', kind: 'tools', words: ['auto', 'none'], optional: true, doc: 'Tools the agent may call: a list, auto (all it equips) or none.' }
const maxSteps: Parameter = { name: 'max_steps', kind: 'integer', min: 0, optional: true, doc: 'Model requests that may ask for tools; 10 if not set.' }
const resultChars: Parameter = { name: 'tool_result_chars', kind: 'integer', min: 1, optional: true, doc: 'Characters of a tool result that the model sees; 16000 if not set.' }
const temp: Parameter = { name: 'temp', kind: 'number', min: 0, max: 2, optional: true, doc: 'Temperature.' }
const maxTokens: Parameter = { name: 'max_tokens', kind: 'integer', min: 1, optional: true, doc: 'Longest reply, in tokens; 4096 if not set.' }

/** What may stand in an agent's brackets after the model. */
export const AGENT_OPTIONS: ReadonlyMap<string, Parameter> = new Map(
  [
    temp,
    { name: 'top_p', kind: 'number', min: 0, max: 1, optional: true, doc: 'Nucleus sampling.' } satisfies Parameter,
    { name: 'seed', kind: 'integer', optional: true, doc: 'Asks for the same sampling each time, where the provider can.' } satisfies Parameter,
    maxTokens, maxSteps, resultChars, tools,
    { name: 'tool_retry', kind: 'integer', min: 0, optional: true, doc: 'Further attempts of a failed call of its tools.' } satisfies Parameter,
    { name: 'base_url', kind: 'url', optional: true, doc: 'Where the provider\'s interface is: a gateway, a local server.' } satisfies Parameter,
  ].map((p) => [p.name, p]),
)

/** An agent's call: prompt parts by position, the rest by name. */
export const AGENT_CALL: Signature = {
  name: 'Agent.task', doc: 'One agent call: a single model request unless tools are offered.', positional: [],
  rest: { name: 'part', kind: 'expression', optional: true, doc: 'A part of the prompt.' },
  named: [
    tools,
    { name: 'tool', kind: 'tool', optional: true, doc: 'A call made first, whose result the agent gets.' },
    { name: 'schema', kind: 'schema', optional: true, doc: 'The schema the answer has to fit.' },
    maxSteps, resultChars, temp, maxTokens,
    { name: 'images', kind: 'expression', optional: true, doc: 'Images for a model that takes them.' },
  ],
  open: { name: 'value', kind: 'expression', doc: 'A named part of the prompt.' },
  example: '|> Writer.draft("Write about", topic)',
}

const any = (name: string, doc: string): Parameter => ({ name, kind: 'expression', doc })
/** The built-in steps `System.…`. */
export const SYSTEM_CALLS = list(
  { name: 'Value', doc: 'Gives this value on.', positional: [optional(any('value', 'The value; what flows in without it.'))], named: [], example: '|> System.Value(context.data.report)' },
  { name: 'Log', doc: 'Writes a value to the log and passes the flowing value on.', positional: [optional(any('value', 'What to log; what flows in without it.'))], named: [], example: '|> System.Log("draft: {{input}}")' },
  { name: 'Fail', doc: 'Ends the run with an error.', positional: [optional(any('message', 'What went wrong; what flows in without it.'))], named: [], example: '|> System.Fail("no such order")' },
)

export const EACH: Signature = {
  name: 'each', doc: 'The call or block for each item of the flowing list; the results in order.', positional: [],
  named: [optional(count('limit', 'How many run at once.')), optional(count('max', 'The longest list it takes.'))], example: '|* each(limit: 4) { … }',
}
const condition: Parameter = { name: 'while', kind: 'condition', doc: 'Goes round again while this holds.' }
const most = optional(count('max', 'How often the stages run in all, the first time included; 3 if not set.'))
export const LOOP: Signature = {
  name: 'loop', doc: 'While the condition holds, goes back to that agent\'s nearest earlier stage of the same list.',
  positional: [{ name: 'agent', kind: 'agent', doc: 'The agent to go back to.' }, condition, most],
  named: [condition, most],
  example: '|<> loop(Writer, score < 8, max: 3)',
}
export const YIELD: Signature = {
  name: 'yield', doc: 'Waits for a person.', positional: [optional(any('message', 'What the person is asked.'))], named: [], byName: true, example: '|! yield("Send it?")',
}
export const LISTEN: Signature = {
  name: 'listen', doc: 'Waits for a named event; its payload flows on.', positional: [{ name: 'event', kind: 'text', doc: 'The event\'s name.' }], byName: true,
  named: [{ name: 'timeout', kind: 'duration', optional: true, doc: 'How long to wait.' }], example: '~> listen("paid", timeout: 1h)',
}

/** Where a decorator may stand: after an agent's call, a tool's call, any other call, or a tool declaration. */
export type DecoratorPlace = 'agent' | 'tool' | 'call' | 'declaration'
export interface DecoratorSignature extends Signature {
  places: readonly DecoratorPlace[]
}
const attempts = count('n', 'How many further attempts.', 0)
const key: Parameter = { name: 'key', kind: 'expression', optional: true, doc: 'What makes two calls the same; the arguments without it.' }
const ttl: Parameter = { name: 'ttl', kind: 'duration', optional: true, doc: 'How long a result is kept.' }
export const DECORATORS: ReadonlyMap<string, DecoratorSignature> = new Map(
  (
    [
      { name: 'correct', doc: 'So many further answers when one is rejected.', positional: [optional(count('n', 'How many further answers; 1 if not set.', 0))], named: [], places: ['agent'], example: '@correct(2)' },
      {
        name: 'retry', doc: 'So many further attempts of a model request or a tool call.', positional: [attempts],
        named: [
          { name: 'backoff', kind: 'word', words: ['exponential', 'linear', 'constant'], optional: true, doc: 'How the wait grows.' },
          { name: 'on', kind: 'expression', optional: true, doc: 'What is tried again: "429", "5xx", "network".' },
        ],
        places: ['agent', 'tool', 'declaration'], example: '@retry(2, backoff: exponential, on: ["429", "5xx"])',
      },
      { name: 'timeout', doc: 'The longest a model request or a tool call may take.', positional: [{ name: 'after', kind: 'duration', doc: 'A duration such as 30s.' }], named: [], places: ['agent', 'tool', 'declaration'], example: '@timeout(30s)' },
      { name: 'shadow', doc: 'The same request to a second model beside it, compared and shown.', positional: [{ name: 'model', kind: 'model', doc: 'provider/model.' }], named: [], places: ['agent'], example: '@shadow(openai/gpt-4o-mini)' },
      {
        name: 'idempotent', doc: 'Gives an earlier result of the same call again.', positional: [],
        named: [key, { name: 'scope', kind: 'word', words: ['run', 'session', 'global'], optional: true, doc: 'How far it is the same call.' }, ttl],
        places: ['tool', 'declaration'], example: '@idempotent(key: order.id, scope: global, ttl: 1h)',
      },
      { name: 'cache', doc: '@idempotent within the run.', positional: [], named: [], places: ['tool', 'declaration'], example: '@cache' },
      { name: 'result', doc: 'The schema the tool\'s results have to fit.', positional: [{ name: 'schema', kind: 'schema', doc: 'A schema.' }], named: [], places: ['declaration'], example: '@result(Invoice)' },
      { name: 'category', doc: 'Puts the tool in a category that ApproveCategories can name.', positional: [{ name: 'category', kind: 'text', doc: 'The category.' }], rest: { name: 'category', kind: 'text', optional: true, doc: 'One more.' }, named: [], places: ['declaration'], example: '@category("payment")' },
    ] satisfies DecoratorSignature[]
  ).map((d) => [d.name, d]),
)

/** Types that have a name without a declaration. */
export const BUILT_IN_TYPES = ['String', 'Number', 'Boolean', 'Any', 'Result'] as const
/** Words that name no declaration, parameter or variable. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'else', 'as'])
/** Names that can't be declared. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(['System', 'Env'])
/** Names that can't be parameters or `as` names: they are in scope already. */
export const SCOPE_NAMES: ReadonlySet<string> = new Set(['input', 'item', 'index', 'context'])
/** What `context.meta` holds. */
export const META_FIELDS = ['runId', 'cost', 'tokens', 'calls', 'violations', 'steps', 'paused'] as const
/** What an `expect` line can look at. */
export const EXPECT_NAMES = ['output', 'status', 'error', 'violations', 'cost', 'context'] as const
export const EXPECT_FUNCTIONS = ['called', 'file'] as const
/** How a run can end. */
export const RUN_STATUSES = ['completed', 'paused', 'failed', 'declined', 'cancelled'] as const
