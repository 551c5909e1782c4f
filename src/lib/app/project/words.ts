/** Words of projects that a page may need at any time; those of its dialogs stand in `dialog-words.ts`. */
export const projectWords = {
  clashMine: 'Another tab changed the same file at the same time. What you typed here stands; the other text is kept under Versions.',
  clashTheirs: 'Two tabs changed the same file at the same time. The text shown here stands now; the other is kept under Versions.',
}
