import { parse, type Node } from 'acorn'

/** Calls whose value is never a promise that nobody waits for, and whose columns stack traces should keep. */
const PLAIN = new Set(['console', 'assert', 'expect', 'process', 'test', 'it', 'describe', 'suite', 'require', 'before', 'after', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'super'])

/**
 * Marks statements that are a call and nothing else: what they give is thrown away, so a promise among them that is
 * rejected ends the program, as it does in Node. QuickJS tells no one of unhandled rejections, and without this a script
 * whose `main()` fails would end as if all were well.
 */
export function markFloating(code: string, type: 'module' | 'script'): string {
  if (!/\basync\b|\bPromise\b|\.then\s*\(/.test(code)) return code
  let program: Node
  try {
    program = parse(code, { ecmaVersion: 'latest', sourceType: type, allowReturnOutsideFunction: true, allowHashBang: true, allowAwaitOutsideFunction: true })
  } catch {
    // The engine says what is wrong with it, or knows syntax that is newer than the parser.
    return code
  }
  const marks: { at: number; text: string }[] = []
  visit(program, (node) => {
    if (node.type !== 'ExpressionStatement') return
    const expression = childOf(node, 'expression')
    const call = expression?.type === 'ChainExpression' ? childOf(expression, 'expression') : expression?.type === 'UnaryExpression' ? childOf(expression, 'argument') : expression
    if (!expression || !call || !mayFloat(call)) return
    marks.push({ at: call.start, text: '__floating(' }, { at: call.end, text: ')' })
  })
  let marked = ''
  let from = 0
  for (const { at, text } of marks.sort((a, b) => a.at - b.at)) {
    marked += code.slice(from, at) + text
    from = at
  }
  return marked + code.slice(from)
}

function mayFloat(call: Node): boolean {
  const callee = childOf(call, 'callee')
  if (!callee || (call.type !== 'CallExpression' && call.type !== 'NewExpression')) return false
  if (call.type === 'NewExpression') return nameOf(callee) === 'Promise'
  // The name a chain of calls and members begins with.
  let first: Node | undefined = callee
  while (first && (first.type === 'MemberExpression' || first.type === 'CallExpression')) first = childOf(first, first.type === 'MemberExpression' ? 'object' : 'callee')
  return first?.type !== 'Super' && !PLAIN.has(nameOf(first) ?? '')
}

const nameOf = (node: Node | undefined) => (node?.type === 'Identifier' ? (node as Node & { name: string }).name : undefined)

function childOf(node: Node, key: string): Node | undefined {
  const value = (node as unknown as Record<string, unknown>)[key]
  return isNode(value) ? value : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function visit(root: Node, act: (node: Node) => void): void {
  // A list instead of recursion: generated code can be nested deeper than the stack.
  const open: Node[] = [root]
  for (let node = open.pop(); node; node = open.pop()) {
    act(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) open.push(child)
    }
  }
}
