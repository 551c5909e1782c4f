/** How each part of a Halo text is coloured: tags for the tree, and a style on the product's own colours. */
import { HighlightStyle } from '@codemirror/language'
import { styleTags, tags as t } from '@lezer/highlight'

export const haloHighlighting = styleTags({
  'import policy tool store schema agent pipeline test': t.definitionKeyword,
  'system equips requires returns runs files mock approve decline answer expect then': t.keyword,
  'each loop yield listen else': t.controlKeyword,
  as: t.keyword,
  'true false Boolean': t.bool,
  'null Null': t.null,
  Definition: t.definition(t.variableName),
  'ParamName Variable': t.variableName,
  'Reference RuleName ProviderName TypeName': t.typeName,
  'Property FieldName ArgName OptionName Key': t.propertyName,
  DecoratorName: t.annotation,
  ModelId: t.special(t.string),
  'String StringText RawString': t.string,
  Escape: t.escape,
  'BadEscape UnterminatedEnd ForeignString': t.invalid,
  'Interpolation OpenInterpolation': t.special(t.brace),
  'Number Quantity': t.number,
  LineComment: t.lineComment,
  BlockComment: t.blockComment,
  // Unquoted, a `!` at the end of a name is a mark of styleTags itself.
  '|> |* |? |<> "|!" ~> => -> &': t.controlOperator,
  'SumOp/... ProductOp/... CompareOp/... EqualityOp/... AndOp/... OrOp/... NullishOp/... Not/... Minus/... "?" "="':
    t.operator,
  '|': t.typeOperator,
  ', :': t.separator,
  '( )': t.paren,
  '[ ]': t.squareBracket,
  '{ }': t.brace,
  '. ?.': t.derefOperator,
})

/** The colours are CSS variables, so that one style serves every theme. */
export const haloHighlightStyle = HighlightStyle.define([
  { tag: [t.definitionKeyword, t.keyword, t.controlKeyword, t.annotation], color: 'var(--kw)' },
  { tag: [t.string, t.escape], color: 'var(--str)' },
  { tag: t.definition(t.variableName), color: 'var(--name)' },
  { tag: [t.number, t.bool, t.null], color: 'var(--num)' },
  { tag: t.controlOperator, color: 'var(--op)', fontWeight: '600' },
  { tag: [t.typeOperator, t.special(t.brace)], color: 'var(--op)' },
  { tag: t.comment, color: 'var(--com)' },
  { tag: t.invalid, color: 'var(--bad, var(--op))' },
])
