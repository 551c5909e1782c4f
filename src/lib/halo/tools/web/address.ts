/** Which addresses a request may go to. */

/** Does an entry of an allow list cover the address? Entries are URL prefixes: same scheme, host and port, and a path that begins with theirs, whole segments. `*.` before the host covers what is below it. */
export function isAllowed(url: URL, allow: readonly string[]): boolean {
  return allow.some((entry) => covers(entry, url))
}

function covers(entry: string, url: URL): boolean {
  const wild = /^(https?:\/\/)\*\.(.+)$/i.exec(entry)
  const base = URL.canParse(wild === null ? entry : `${wild[1]}${wild[2]}`) ? new URL(wild === null ? entry : `${wild[1]}${wild[2]}`) : undefined
  if (base === undefined || base.protocol !== url.protocol || base.port !== url.port) return false
  if (wild === null ? base.hostname !== url.hostname : !url.hostname.endsWith(`.${base.hostname}`)) return false
  const path = base.pathname
  return path === '/' || url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** An address of this machine or of a network that isn't the public one, by its name or number alone: names aren't looked up. */
export function isPrivate({ hostname }: URL): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host.startsWith('[')) return isPrivateV6(host.slice(1, -1))
  // URL writes every form of an IPv4 address (0x7f.1, 2130706433) as four decimal numbers.
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)
  if (v4 !== null) return isPrivateV4(v4.slice(1).map(Number))
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa|intranet|corp|home)$/.test(host)
}

/** Ranges of the IANA IPv4 special-purpose registry that aren't globally reachable, and multicast. */
function isPrivateV4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  return (
    a === 0 || a === 10 || a === 127 || a >= 224 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113)
  )
}

function isPrivateV6(text: string): boolean {
  const [head = '', tail] = text.split('::')
  const parts = (side: string): number[] => (side === '' ? [] : side.split(':').map((part) => Number.parseInt(part, 16)))
  const [first, last] = [parts(head), parts(tail ?? '')]
  const groups = tail === undefined ? first : [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
  const [g0 = 0, , , , g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups
  const zeros = groups.slice(0, 5).every((group) => group === 0)
  // An IPv4 address inside: mapped (::ffff:a.b.c.d), compatible (::a.b.c.d, which takes in :: and ::1), and 64:ff9b::/96.
  const inner = [g6 >> 8, g6 & 255, g7 >> 8, g7 & 255]
  if (zeros && (g5 === 0 || g5 === 0xffff)) return g5 === 0 ? true : isPrivateV4(inner)
  if (g0 === 0x64 && groups[1] === 0xff9b && g4 === 0 && g5 === 0) return isPrivateV4(inner)
  // Only 2000::/3 is global unicast; of it 2001:db8::/32 is for documents, 2002::/16 (6to4) holds an IPv4 address.
  if (g0 < 0x2000 || g0 > 0x3fff) return true
  if (g0 === 0x2001 && groups[1] === 0xdb8) return true
  const [, g1 = 0, g2 = 0] = groups
  return g0 === 0x2002 && isPrivateV4([g1 >> 8, g1 & 255, g2 >> 8])
}
