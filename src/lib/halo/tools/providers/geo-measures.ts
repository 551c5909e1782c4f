/** What `Geo()` measures; loaded with the first call. */
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import geodesic from 'geographiclib-geodesic'
import { fault, positionOf, positionsOf, readGeometry, type Geometry, type Position } from './geo-geometry.ts'

/** Mean radius of the earth by the IUGG, in metres. */
const RADIUS = 6_371_008.8
const radians = (degrees: number): number => (degrees * Math.PI) / 180

export function distance(a: unknown, b: unknown): number {
  const [lon1, lat1] = positionOf(a, 'a').map(radians) as Position
  const [lon2, lat2] = positionOf(b, 'b').map(radians) as Position
  const h = Math.sin((lat2 - lat1) / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin((lon2 - lon1) / 2) ** 2
  return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(h)))
}

export function bearing(a: unknown, b: unknown): number {
  const [lon1, lat1] = positionOf(a, 'a').map(radians) as Position
  const [lon2, lat2] = positionOf(b, 'b').map(radians) as Position
  const y = Math.sin(lon2 - lon1) * Math.cos(lat2)
  const x = Math.cos(lat1) * Math.sin(lat2) - Math.sin(lat1) * Math.cos(lat2) * Math.cos(lon2 - lon1)
  const degrees = (Math.atan2(y, x) * 180) / Math.PI
  return (degrees + 360) % 360
}

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz'

/** Halves longitude and latitude in turn; five halvings are a character. */
export function geohash(point: unknown, precision: number): string {
  const [longitude, latitude] = positionOf(point, 'the point')
  const range = { lon: [-180, 180] as [number, number], lat: [-90, 90] as [number, number] }
  let hash = ''
  let even = true
  while (hash.length < precision) {
    let index = 0
    for (let bit = 0; bit < 5; bit++) {
      const side = even ? range.lon : range.lat
      const middle = (side[0] + side[1]) / 2
      const upper = (even ? longitude : latitude) >= middle
      side[upper ? 0 : 1] = middle
      index = index * 2 + (upper ? 1 : 0)
      even = !even
    }
    hash += ALPHABET[index] ?? ''
  }
  return hash
}

function polygonsOf(given: unknown, what: string): Position[][][] {
  const geometry = readGeometry(given)
  if (geometry.type === 'Polygon') return geometry.coordinates.length === 0 ? [] : [geometry.coordinates]
  if (geometry.type === 'MultiPolygon') return geometry.coordinates.filter(({ length }) => length > 0)
  throw fault(`${what} needs a Polygon or MultiPolygon; this is a ${geometry.type}.`)
}

export function within(point: unknown, area: unknown): boolean {
  const position = positionOf(point, 'the point')
  return polygonsOf(area, 'within').some((coordinates) => booleanPointInPolygon(position, { type: 'Polygon', coordinates }))
}

export function area(given: unknown): number {
  let whole = 0
  for (const rings of polygonsOf(given, 'area')) for (const [i, ring] of rings.entries()) whole += i === 0 ? ringArea(ring) : -ringArea(ring)
  return whole
}

function ringArea(ring: Position[]): number {
  const polygon = geodesic.Geodesic.WGS84.Polygon(false)
  for (const [i, [longitude, latitude]] of ring.slice(0, -1).entries()) {
    const next = ring[i + 1]
    // The shortest way between them goes round the other side: not the edge that was drawn.
    if (next !== undefined && Math.abs(next[0] - longitude) >= 180) throw fault(`The edge from [${longitude}, ${latitude}] to [${next.join(', ')}] spans ${Math.abs(next[0] - longitude)}° of longitude; put points between, or split the area at the 180th meridian.`)
    polygon.AddPoint(latitude, longitude)
  }
  return Math.abs(polygon.Compute(false, true).area ?? 0)
}

/** Sums of places by their weights: an area, a length, or one for each point. */
class Mass {
  #x = 0
  #y = 0
  weight = 0
  add(x: number, y: number, weight: number): void {
    this.#x += x * weight
    this.#y += y * weight
    this.weight += weight
  }
  get centre(): [number, number] {
    return [this.#x / this.weight, this.#y / this.weight]
  }
}

export function centroid(given: unknown): { type: 'Point'; coordinates: [number, number] } {
  const masses = { areas: new Mass(), lines: new Mass(), points: new Mass() }
  gather(readGeometry(given), masses)
  const mass = [masses.areas, masses.lines, masses.points].find(({ weight }) => weight > 0)
  if (mass === undefined) throw fault('The geometry is empty: it has no centre.')
  return { type: 'Point', coordinates: mass.centre }
}

function gather(geometry: Geometry, masses: { areas: Mass; lines: Mass; points: Mass }): void {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.forEach((part) => gather(part, masses))
  for (const [x, y] of positionsOf(geometry)) masses.points.add(x, y, 1)
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.type === 'MultiPolygon' ? geometry.coordinates : []
  for (const rings of polygons) for (const [i, ring] of rings.entries()) addRing(ring, i === 0 ? 1 : -1, masses.areas)
  const lines = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.type === 'MultiLineString' ? geometry.coordinates : polygons.flat()
  for (const line of lines) addLine(line, masses.lines)
}

function addLine(line: Position[], mass: Mass): void {
  for (const [i, [x, y]] of line.entries()) {
    const next = line[i + 1]
    if (next !== undefined) mass.add((x + next[0]) / 2, (y + next[1]) / 2, Math.hypot(next[0] - x, next[1] - y))
  }
}

/** By triangles from the first point, which keeps small areas far from the origin exact. A hole is taken off, whichever way it turns. */
function addRing(ring: Position[], sign: 1 | -1, mass: Mass): void {
  const [ox, oy] = ring[0] ?? [0, 0]
  let twice = 0
  let x = 0
  let y = 0
  for (const [i, [ax, ay]] of ring.entries()) {
    const next = ring[i + 1]
    if (next === undefined) break
    const cross = (ax - ox) * (next[1] - oy) - (next[0] - ox) * (ay - oy)
    twice += cross
    x += (ax + next[0] - 2 * ox) * cross
    y += (ay + next[1] - 2 * oy) * cross
  }
  if (twice !== 0) mass.add(ox + x / (3 * twice), oy + y / (3 * twice), (sign * Math.abs(twice)) / 2)
}
