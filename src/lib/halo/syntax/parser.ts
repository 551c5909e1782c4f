/** The Lezer parsers: of a file, and of a condition's text. */
import { parser } from '../../../../grammar/halo.grammar'

export const haloParser = parser
export const conditionParser = parser.configure({ top: 'Condition' })
