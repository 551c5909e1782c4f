/** All words about zip files, for those who save and open them. */
const shown = (path: string): string => `“${path.length > 80 ? `${path.slice(0, 77)}…` : path}”`
const none = 'Nothing was taken from it.'

export const zipWords = {
  notZip: `This file is not a zip file, or its end is cut off. ${none}`,
  empty: `There are no files in this zip. ${none}`,
  damaged: (path: string | undefined) => `This zip is damaged${path === undefined ? '' : ` at ${shown(path)}`}: a part of it is missing or was changed. ${none}`,
  many: (most: number) => `This zip holds more than ${most.toLocaleString('en')} files. ${none}`,
  big: (most: string) => `This zip would unpack to more than ${most}. ${none}`,
  bigFile: (path: string, most: string) => `${shown(path)} in this zip is larger than ${most}. ${none}`,
  bigZip: (most: string) => `This zip is larger than ${most} and was not opened.`,
  encrypted: (path: string) => `${shown(path)} in this zip is encrypted. Unpack it with its password first. ${none}`,
  link: (path: string) => `${shown(path)} in this zip is a link to another file, which could lead anywhere. ${none}`,
  unsafe: (path: string) => `This zip names a file ${shown(path)}, which is no name within a folder. ${none}`,
  twice: (path: string) => `This zip holds ${shown(path)} twice, so it can’t be said which is meant. ${none}`,
  encoding: (path: string) => `The file name ${shown(path)} in this zip is in no encoding that can be read for certain. Pack it again with names in UTF-8. ${none}`,
  method: (path: string) => `${shown(path)} in this zip is packed in a way that isn’t read here. Pack it again as an ordinary zip. ${none}`,
}
