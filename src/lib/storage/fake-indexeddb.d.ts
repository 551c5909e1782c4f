/** Its types aren't reachable through its package's exports. */
declare module 'fake-indexeddb/auto'
