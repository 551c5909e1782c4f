import '$lib/app/security/trusted-types.ts'

// The workbench lives wholly in the page: nothing is rendered on a server, and each page is a file.
export const ssr = false
export const prerender = true
