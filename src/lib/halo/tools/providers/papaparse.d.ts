/** The part of papaparse that is used; the package has no types of its own. */
declare module 'papaparse' {
  interface ParseError {
    type: 'Quotes' | 'Delimiter' | 'FieldMismatch'
    message: string
    row?: number
  }
  const Papa: {
    parse<Row>(text: string, options?: { delimiter?: string; skipEmptyLines?: boolean | 'greedy' }): { data: Row[]; errors: ParseError[] }
  }
  export default Papa
}
