/** All words of the Settings dialog. */
export const settingsWords = {
  title: 'Settings',
  theme: 'Theme',
  themes: { system: 'As the system has it', light: 'Light', dark: 'Dark' } as Record<string, string>,
  storage: 'Storage',
  used: (used: string, all: string) => `${used} of about ${all} used by this page.`,
  persisted: 'The browser keeps it until you delete it.',
  notPersisted: 'The browser may clear it when the disk is full.',
  persist: 'Ask to keep it',
  refused: 'The browser said no. It may say yes once the page is bookmarked or installed.',
  close: 'Close',
}
