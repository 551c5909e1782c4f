export { parse, parseSource, parseCondition, fileOf, type ParseOptions, type ParseResult } from './parse.ts'
export { format } from './format/format.ts'
export { haloParser } from './parser.ts'
export { BUILT_IN_FUNCTIONS } from './expressions.ts'
