/**
 * The syntax tree of a Halo file: plain serialisable objects, each with its span (UTF-16 offsets).
 * Built from the Lezer tree by `parse.ts`; layout, comments and parentheses are not in it.
 */

export interface Node {
  from: number
  to: number
}

export interface HaloFile extends Node {
  kind: 'File'
  /** The path it was parsed under, if one was given; also in the spans of errors. */
  path?: string
  source: string
  /** All declarations in the order they are written. The lists below hold the same objects. */
  declarations: Declaration[]
  imports: ImportDeclaration[]
  policies: PolicyDeclaration[]
  tools: ToolDeclaration[]
  stores: StoreDeclaration[]
  schemas: SchemaDeclaration[]
  agents: AgentDeclaration[]
  pipelines: PipelineDeclaration[]
  tests: TestDeclaration[]
}

/** A name where it is declared or used. */
export interface Name extends Node {
  name: string
}

export type Declaration =
  | ImportDeclaration
  | PolicyDeclaration
  | ToolDeclaration
  | StoreDeclaration
  | SchemaDeclaration
  | AgentDeclaration
  | PipelineDeclaration
  | TestDeclaration

interface Declared extends Node {
  name: string
  /** The span of the name alone. */
  nameSpan: Node
  /** The file it stands in, for error spans once files are linked. */
  file?: string
  /** It has a syntax fault: its name counts, what it holds is only what could be made out. */
  faulty?: boolean
}

export interface ImportDeclaration extends Node {
  kind: 'Import'
  path: string
  pathSpan: Node
  /** The imported file, once `resolve` has found and parsed it. */
  target?: HaloFile
  faulty?: boolean
}

export interface PolicyDeclaration extends Declared {
  kind: 'Policy'
  rules: Rule[]
}

/** `AllowTools("Code.*")`, or the name of another policy (then `args` is undefined). */
export interface Rule extends Node {
  kind: 'Rule'
  name: string
  nameSpan: Node
  args?: Argument[]
}

export interface Argument extends Node {
  name?: string
  nameSpan?: Node
  value: Expression
}

export interface ToolDeclaration extends Declared {
  kind: 'Tool'
  provider: ProviderUse
  decorators: Decorator[]
}
export interface StoreDeclaration extends Declared {
  kind: 'Store'
  provider: ProviderUse
  decorators: Decorator[]
}
export interface ProviderUse extends Node {
  name: string
  nameSpan: Node
  args: Argument[]
}

export interface SchemaDeclaration extends Declared {
  kind: 'Schema'
  type: ObjectType
}

export interface ModelRef extends Node {
  /** `anthropic` in `anthropic/claude-sonnet-4-5`; all before the first slash. */
  provider: string
  /** All after the first slash; empty when there is none (the checker says so). */
  id: string
}

export interface AgentDeclaration extends Declared {
  kind: 'Agent'
  model: ModelRef
  options: AgentOption[]
  system?: StringLiteral | TemplateLiteral
  equips: Name[]
  requires: Name[]
  returns?: TypeNode
  /** Every clause keyword as written, so that a repeated one can be reported. */
  clauses: (Node & { clause: 'system' | 'equips' | 'requires' | 'returns' })[]
}
export interface AgentOption extends Node {
  name: string
  nameSpan: Node
  value: Expression
}

export interface PipelineDeclaration extends Declared {
  kind: 'Pipeline'
  params: Param[]
  returns?: TypeNode
  requires: Name[]
  body: Chain
}
export interface Param extends Node {
  name: string
  nameSpan: Node
  type: TypeNode
  optional: boolean
  default?: Expression
}

export interface TestDeclaration extends Node {
  kind: 'Test'
  /** What stands in the quotes. */
  name: string
  nameSpan: Node
  file?: string
  faulty?: boolean
  pipeline: Name
  args: Argument[]
  lines: TestLine[]
}
export type TestLine =
  | (Node & { kind: 'Files'; folder: string; folderSpan: Node; value: Expression })
  | (Node & { kind: 'Mock'; target: Target; answers: Expression[] })
  | (Node & { kind: 'Approve'; targets: Target[] })
  | (Node & { kind: 'Decline'; target: Target; reason?: Expression })
  | (Node & { kind: 'Answer'; target: Target; value: Expression })
  | (Node & { kind: 'Expect'; condition: Expression })

/** A target as its text, `Files.*`, `Clerk.work`, `yield`, an event's name; quoted or bare. */
export interface Target extends Node {
  text: string
  quoted: boolean
}

// ------------------------------------------------------------------ pipelines

/** A source and the stages after it; also the body of a branch, an arm, or an each block. */
export interface Chain extends Node {
  kind: 'Chain'
  source?: Source
  stages: Stage[]
}

/**
 * What stands before the first stage: a call (`kind: 'Call'`) or an expression. In the body of a branch or an arm, and of
 * `each`, a leading call without `|>` is the source too: it takes the flowing value as its input.
 */
export type Source = CallStage | ExpressionSource
export interface ExpressionSource extends StageBase {
  kind: 'Expression'
  value: Expression
}

interface StageBase extends Node {
  /** `as name`. */
  as?: Name
  decorators: Decorator[]
}

export type Stage = CallStage | ParallelStage | EachStage | BranchStage | LoopStage | YieldStage | ListenStage | BlockStage

/** `Agent.task(…)`, `Tool.method(…)`, `Pipeline(…)`, `System.Value(…)`. */
export interface CallStage extends StageBase {
  kind: 'Call'
  callee: Name
  member?: Name
  /** undefined: written without parentheses. */
  args?: Argument[]
}
export interface ParallelStage extends StageBase {
  kind: 'Parallel'
  branches: Chain[]
}
export interface EachStage extends StageBase {
  kind: 'Each'
  /** `limit:`, `max:`. */
  args: Argument[]
  body: Chain
}
export interface BranchStage extends StageBase {
  kind: 'Branch'
  arms: Arm[]
}
export interface Arm extends Node {
  /** undefined: the `else` arm. */
  condition?: Expression
  body: Chain
}
export interface LoopStage extends StageBase {
  kind: 'Loop'
  args: Argument[]
}
export interface YieldStage extends StageBase {
  kind: 'Yield'
  args: Argument[]
}
export interface ListenStage extends StageBase {
  kind: 'Listen'
  args: Argument[]
}
/** `{ stages }` where a body may have braces of its own. */
export interface BlockStage extends StageBase {
  kind: 'Block'
  body: Chain
}

export interface Decorator extends Node {
  /** Without the `@`. */
  name: string
  nameSpan: Node
  args: Argument[]
  /** `@shadow(provider/model)` alone. */
  model?: ModelRef
}

// ---------------------------------------------------------------- expressions

export type Expression =
  | StringLiteral
  | TemplateLiteral
  | NumberLiteral
  | BooleanLiteral
  | NullLiteral
  | Variable
  | Access
  | FunctionCall
  | ListExpression
  | ObjectExpression
  | Unary
  | Operation
  | Conditional

export interface StringLiteral extends Node {
  kind: 'String'
  value: string
}
/** A string with `{{ }}` in it. */
export interface TemplateLiteral extends Node {
  kind: 'Template'
  parts: (string | Expression)[]
}
/** A number, or a duration already turned into milliseconds (then `unit` is true). */
export interface NumberLiteral extends Node {
  kind: 'Number'
  value: number
  duration?: boolean
}
export interface BooleanLiteral extends Node {
  kind: 'Boolean'
  value: boolean
}
export interface NullLiteral extends Node {
  kind: 'Null'
}
/** A name; some bare words (`BARE_WORDS`) stand for themselves. */
export interface Variable extends Node {
  kind: 'Variable'
  name: string
}
/** `a.b["c"]?.d`, flat: a chain of any length nests no deeper. */
export interface Access extends Node {
  kind: 'Access'
  base: Expression
  steps: AccessStep[]
}
export type AccessStep =
  | (Node & { kind: 'Member'; name: string; optional: boolean })
  | (Node & { kind: 'Index'; index: Expression })
/**
 * A built-in function's call: `len(x)`. Also `call("Tool.method", {…})` in mocks, and the call in `tool: Tool.method(…)`,
 * whose `name` is `Tool.method`: only a `tool:` argument holds such a one.
 */
export interface FunctionCall extends Node {
  kind: 'FunctionCall'
  name: string
  nameSpan: Node
  args: Argument[]
}
export interface ListExpression extends Node {
  kind: 'List'
  items: Expression[]
}
export interface ObjectExpression extends Node {
  kind: 'Object'
  entries: (Node & { key: string; value: Expression })[]
}
export interface Unary extends Node {
  kind: 'Unary'
  operator: '!' | '-'
  operand: Expression
}
/** Operators of one precedence, left to right: `operands[0] operators[0] operands[1] …`. Flat, for the same reason. */
export interface Operation extends Node {
  kind: 'Operation'
  operands: Expression[]
  operators: Operator[]
}
export type Operator =
  | '??' | '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%'
export interface Conditional extends Node {
  kind: 'Conditional'
  test: Expression
  then: Expression
  else: Expression
}

/** Words that are never looked up as variables. `input` and `output` are words only where a rule or option takes one. */
export const BARE_WORDS: ReadonlySet<string> = new Set([
  'auto', 'none', 'run', 'session', 'global', 'exponential', 'read', 'write', 'external', 'input', 'output', 'both',
])

// ---------------------------------------------------------------------- types

export type TypeNode = NamedType | LiteralType | ListType | ObjectType | UnionType | OptionalType

/** `String Number Boolean Any Result`, or a schema's name. */
export interface NamedType extends Node {
  kind: 'NamedType'
  name: string
}
export interface LiteralType extends Node {
  kind: 'LiteralType'
  value: string | number | boolean | null
}
export interface ListType extends Node {
  kind: 'ListType'
  item: TypeNode
}
export interface ObjectType extends Node {
  kind: 'ObjectType'
  fields: (Node & { name: string; nameSpan: Node; optional: boolean; type: TypeNode })[]
}
export interface UnionType extends Node {
  kind: 'UnionType'
  members: TypeNode[]
}
export interface OptionalType extends Node {
  kind: 'OptionalType'
  type: TypeNode
}
