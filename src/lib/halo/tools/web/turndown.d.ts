/** The part of turndown that is used; the package has no types of its own. */
declare module 'turndown' {
  interface Node {
    nodeName: string
    getAttribute(name: string): string | null
  }
  interface Rule {
    filter: string | string[] | ((node: Node) => boolean)
    replacement(content: string, node: Node): string
  }
  export default class TurndownService {
    constructor(options?: { headingStyle?: 'atx' | 'setext'; codeBlockStyle?: 'fenced' | 'indented'; bulletListMarker?: '-' | '*' | '+' })
    remove(filter: string | string[]): this
    addRule(name: string, rule: Rule): this
    escape(text: string): string
    turndown(html: string): string
  }
}
