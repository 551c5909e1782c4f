/** Types: Lezer nodes to AST. */
import type { ObjectType, TypeNode } from './ast.ts'
import { placeOf, present, textOf, type Build } from './context.ts'
import { child, childrenOf, type Cst } from './cst.ts'
import { nameOf } from './expressions.ts'
import { isString, numberOf, plainString } from './literals.ts'

const TYPES = new Set(['TypeName', 'LiteralType', 'ListType', 'ObjectType', 'UnionType', 'OptionalType'])

/** The type among a node's children; `Any` where it is missing, which has been reported. */
export function typeIn(build: Build, node: Cst): TypeNode {
  return optionalTypeIn(build, node) ?? { kind: 'NamedType', name: 'Any', from: node.to, to: node.to }
}
export function optionalTypeIn(build: Build, node: Cst | undefined): TypeNode | undefined {
  const found = node?.children.find((c) => TYPES.has(c.name))
  return found && typeOf(build, found)
}

function typeOf(build: Build, node: Cst): TypeNode {
  const place = placeOf(node)
  switch (node.name) {
    case 'LiteralType':
      return { kind: 'LiteralType', value: literalOf(build, node), ...place }
    case 'ListType':
      return { kind: 'ListType', item: typeIn(build, node), ...place }
    case 'ObjectType':
      return objectTypeOf(build, node)
    case 'UnionType': {
      const members = node.children.filter((c) => TYPES.has(c.name)).map((member) => typeOf(build, member))
      return { kind: 'UnionType', members, ...place }
    }
    case 'OptionalType':
      return { kind: 'OptionalType', type: typeIn(build, node), ...place }
    default:
      return { kind: 'NamedType', ...nameOf(build, node) }
  }
}

function literalOf(build: Build, node: Cst): string | number | boolean | null {
  const [value] = node.children
  if (!value) return null
  if (isString(value)) return plainString(build, value, 'A literal type')
  if (value.name === 'Number') return numberOf(build, value).value
  return value.name === 'Boolean' ? textOf(build, value) === 'true' : null
}

export function objectTypeOf(build: Build, node: Cst): ObjectType {
  const fields = childrenOf(node, 'Field').map((field) => {
    const nameNode = child(field, 'FieldName')
    if (!nameNode) return undefined
    const string = nameNode.children.find(isString)
    return {
      name: string ? plainString(build, string, 'A field name') : nameOf(build, nameNode).name,
      nameSpan: placeOf(nameNode),
      optional: child(field, '?') !== undefined,
      type: typeIn(build, field),
      ...placeOf(field),
    }
  })
  return { kind: 'ObjectType', fields: present(fields), ...placeOf(node) }
}
