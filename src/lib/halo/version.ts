/** Of the library and of what it writes into journals; a test compares it with package.json. */
export const VERSION = '0.1.0'
