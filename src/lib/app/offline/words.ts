/** Words about updates, and about what a browser or a host can't do. */
export const offlineWords = {
  region: 'About this page',
  update: 'A newer version of Halo is ready.',
  outdated: 'Another tab changed to a newer version of Halo. This one goes on with the older until it is reloaded.',
  later: 'Later',
  updateNow: 'Update and reload',
  afterRun: 'A run is under way: update when it has ended.',
  limits: (n: number) => (n === 1 ? 'One thing does not work here:' : 'Some things do not work here:'),
  understood: 'Understood',
  limit: {
    storage: 'This browser gives the page no storage (a private window, or site data is blocked). Everything works, but projects, recordings and files are gone when the tab closes: export what you want to keep.',
    smallStorage: (room: string) => `This browser gives the page little storage (${room}). When it is full, Halo says so and keeps what was stored before; export what you want to keep.`,
    offline: 'This browser has no service workers: the page does not open without a network. All else works.',
    offlineFailed: 'The page could not be kept for use without a network (too little storage, or the browser refused). With a network all works.',
    isolation: 'This page is not cross-origin isolated (its host sends no isolation headers): a busy command is stopped by starting its engine anew, and WebContainers are not available. The embedded engine works.',
    clipboard: 'This browser lets the page not use the clipboard: copy texts by selecting them.',
  },
}
