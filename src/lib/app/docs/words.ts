/** All words of the documentation in the app. */
export const docsWords = {
  title: 'Documentation',
  search: 'Search the documentation',
  searchHint: 'Search',
  pages: 'Pages',
  results: 'Found',
  none: (query: string) => `Nothing is written about “${query}”.`,
  found: (n: number) => `${n} ${n === 1 ? 'place' : 'places'} found`,
  open: 'Show the documentation',
  meaning: 'What does this mean?',
  meaningOf: (code: string) => `What does ${code} mean?`,
  failed: 'The documentation could not be loaded.',
}
