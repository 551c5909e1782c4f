/** All words of the Settings dialog. */
export const settingsWords = {
  title: 'Settings',
  theme: 'Theme',
  themes: { system: 'As the system has it', light: 'Light', dark: 'Dark' } as Record<string, string>,
  engine: 'Commands',
  engines: { embedded: 'In the embedded engine', webcontainer: 'In WebContainers' } as Record<string, string>,
  engineMeans: {
    embedded: 'Starts in about a second, works offline, and holds to limits and addresses.',
    webcontainer: 'Real Node and npm by StackBlitz, loaded from the network. They have a network of their own: no address is asked about. Projects from elsewhere stay on the embedded engine.',
  } as Record<string, string>,
  engineLater: 'Counts from when the page is opened next; runs go on there.',
  reload: 'Open it anew',
  storage: 'Storage',
  used: (used: string, all: string) => `${used} of about ${all} used by this page.`,
  persisted: 'The browser keeps it until you delete it.',
  notPersisted: 'The browser may clear it when the disk is full.',
  persist: 'Ask to keep it',
  refused: 'The browser said no. It may say yes once the page is bookmarked or installed.',
  close: 'Close',
}
