/** Types of the app shell: SvelteKit looks for them here. */
export {}

// Its types aren't reachable through its package's exports.
declare module 'fake-indexeddb/auto'
