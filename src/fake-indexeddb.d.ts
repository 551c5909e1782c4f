/** It fills in globals and exports nothing; the package keeps the types of this entry where its own exports don't reach. */
declare module 'fake-indexeddb/auto'
