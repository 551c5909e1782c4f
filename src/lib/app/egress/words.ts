/** Words about requests that leave the page. */
export const egressWords = {
  title: 'A request to a new address',
  ask: (project: string) => `“${project}” wants to reach an address that it does not name itself:`,
  anywhere: '“network: true”: commands of this project want to reach any address.',
  why: 'What is sent there may hold texts of this project. Allow it only if you know what the address is for.',
  once: 'The answer Allow is kept for this project.',
  address: 'Address',
  allow: 'Allow requests',
  deny: 'Refuse',
  refused: (origin: string) => `Requests to ${origin} were refused by the person. Use another address, or go on without.`,
  scheme: (protocol: string) => `Only http and https addresses can be reached, not ${protocol}`,
  redirect: (origin: string) => `${origin} redirects, and a page can't see where to. A request with a key or a body does not follow: set the address it leads to.`,
}
