export { analyse, check, type AnalyseOptions, type CheckOptions } from './check.ts'
export { CODES, type Code } from './codes.ts'
export { definitionOf, namesAt, referencesOf, type Definition, type NameInScope } from './editor.ts'
export { loadImports, joinPath, type Resolve } from './imports.ts'
export { nearest } from './nearest.ts'
export { declarationOf, filesOf, link, type NamedDeclaration, type Program } from './program.ts'
export {
  AGENT_CALL, AGENT_OPTIONS, BUILT_IN_TYPES, DECORATORS, EACH, EFFECTS, EXPECT_FUNCTIONS, EXPECT_NAMES, LISTEN, LOOP, META_FIELDS,
  REDACT_KINDS, RULES, RUN_STATUSES, SYSTEM_CALLS, YIELD,
  type ArgumentKind, type DecoratorPlace, type DecoratorSignature, type Parameter, type Signature,
} from './signatures.ts'
export { FUNCTIONS, type FunctionSpec } from '../run/functions.ts'
