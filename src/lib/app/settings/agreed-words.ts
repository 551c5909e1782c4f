/** Words of the Settings dialog about what a person has agreed to. */
export const agreedWords = {
  intro: 'What you agreed to holds until you take it back here. Then you are asked again.',
  programs: 'Programs from elsewhere that may run',
  programsNone: 'None. The first run of a link or of a file of others asks.',
  unnamed: (digest: string) => `content ${digest.slice(0, 12)}`,
  since: (day: string) => `since ${day}`,
  addresses: 'Addresses that projects may reach',
  addressesNone: 'None. A request to an address that a project does not name itself asks.',
  anywhere: 'any address',
  of: (project: string) => `Addresses of ${project}`,
  gone: 'a project that is no longer here',
  takeBack: 'Take back',
  takeBackOf: (what: string) => `Take back: ${what}`,
}
