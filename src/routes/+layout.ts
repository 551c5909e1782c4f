// The workbench lives wholly in the page: nothing is rendered on a server.
export const ssr = false
