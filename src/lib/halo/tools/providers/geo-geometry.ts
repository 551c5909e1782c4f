/** Geometries, read from WKT or GeoJSON and checked: what is wrong is named with its place. */
import { geojsonToWKT, wktToGeoJSON } from '@terraformer/wkt'
import { HaloError, messageOf } from '../../errors.ts'

/** Longitude, latitude, and a height where there is one. */
export type Position = [number, number] | [number, number, number]
export type Geometry =
  | { type: 'Point'; coordinates: Position | [] }
  | { type: 'MultiPoint' | 'LineString'; coordinates: Position[] }
  | { type: 'MultiLineString' | 'Polygon'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] }
  | { type: 'GeometryCollection'; geometries: Geometry[] }

const TYPES = ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection']
const MAX_NESTED = 32

export const fault = (message: string): HaloError => new HaloError('TOOL_ERROR', message)

export function readGeometry(given: unknown): Geometry {
  return geometryOf(typeof given === 'string' ? fromText(given.trim()) : given, 'The geometry', 0)
}

function fromText(text: string): unknown {
  if (text === '') throw fault('The geometry is empty: give WKT, such as POINT (13.4 52.5), or GeoJSON.')
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as unknown
    } catch (error) {
      throw fault(`The geometry is no GeoJSON: ${messageOf(error)}`)
    }
  }
  const [, srid, wkt = text] = /^srid\s*=\s*(\d+)\s*;\s*([^]*)$/i.exec(text) ?? []
  if (srid !== undefined && srid !== '4326') throw fault(`The geometry is in the reference system ${srid}; only WGS 84 (4326), longitude and latitude, is read.`)
  const name = /^[a-z]+/i.exec(wkt)?.[0].toUpperCase()
  if (name === undefined || !TYPES.some((type) => type.toUpperCase() === name)) throw fault(`${JSON.stringify(wkt.slice(0, 40))} is neither WKT nor GeoJSON: WKT begins with one of ${TYPES.map((type) => type.toUpperCase()).join(', ')}.`)
  if (/^[a-z]+\s*z?m\b/i.test(wkt)) throw fault('The geometry has measures (M), which are not read; leave them out.')
  try {
    return wktToGeoJSON(wkt.toUpperCase())
  } catch (error) {
    // Of the parser's drawing of the place, the line that says what is there.
    throw fault(`The geometry is no WKT: ${/got .*/.exec(messageOf(error))?.[0].replace("got 'EOF'", 'it ends too early').replace(/got 'INVALID'/, 'it has a character that means nothing there') ?? 'it is written otherwise'}, near ${JSON.stringify(nearby(messageOf(error)))}.`)
  }
}

/** The parser shows the text up to the fault in a line above its mark. */
function nearby(message: string): string {
  return message.split('\n')[1]?.slice(-40) ?? ''
}

function geometryOf(value: unknown, what: string, nested: number): Geometry {
  if (typeof value !== 'object' || value === null) throw fault(`${what} is neither WKT nor GeoJSON.`)
  const { type, coordinates, geometries, geometry } = value as Record<string, unknown>
  if (nested > MAX_NESTED) throw fault(`${what} is nested more than ${MAX_NESTED} deep.`)
  switch (type) {
    case 'Feature':
      return geometryOf(geometry, `${what} of the feature`, nested + 1)
    case 'Point':
      return { type, coordinates: Array.isArray(coordinates) && coordinates.length === 0 ? [] : positionOf(coordinates, what) }
    case 'MultiPoint':
      return { type, coordinates: listOf(coordinates, what).map((point, i) => positionOf(point, `point ${i + 1}`)) }
    case 'LineString':
      return { type, coordinates: lineOf(coordinates, 'the line') }
    case 'MultiLineString':
      return { type, coordinates: listOf(coordinates, what).map((line, i) => lineOf(line, `line ${i + 1}`)) }
    case 'Polygon':
      return { type, coordinates: ringsOf(coordinates, '') }
    case 'MultiPolygon':
      return { type, coordinates: listOf(coordinates, what).map((rings, i) => ringsOf(rings, ` of polygon ${i + 1}`)) }
    case 'GeometryCollection':
      return { type, geometries: listOf(geometries, what).map((part, i) => geometryOf(part, `Geometry ${i + 1}`, nested + 1)) }
    default:
      throw fault(`${what} has the type ${JSON.stringify(type) ?? 'nothing'}; a geometry is one of ${TYPES.join(', ')}.`)
  }
}

function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value
  throw fault(`${what} has no list where its coordinates should be.`)
}

function lineOf(value: unknown, what: string): Position[] {
  const points = listOf(value, what).map((point, i) => positionOf(point, `point ${i + 1} of ${what}`))
  if (points.length === 1) throw fault(`A line needs at least two points; ${what} has one.`)
  return points
}

function ringsOf(value: unknown, of: string): Position[][] {
  return listOf(value, 'The polygon').map((given, i) => {
    const what = `ring ${i + 1}${of}`
    const ring = listOf(given, what).map((point, at) => positionOf(point, `point ${at + 1} of ${what}`))
    const [first, last] = [ring[0], ring.at(-1)]
    if (first === undefined || last === undefined) throw fault(`The polygon's ${what} is empty.`)
    if (first[0] !== last[0] || first[1] !== last[1]) throw fault(`The polygon's ${what} is not closed: it begins at [${first.join(', ')}] and ends at [${last.join(', ')}]; its last point must be its first.`)
    if (ring.length < 4) throw fault(`The polygon's ${what} has ${ring.length} points; a closed ring has at least four.`)
    return ring
  })
}

export function positionOf(value: unknown, what: string): Position {
  const list: unknown[] = Array.isArray(value) ? value : []
  if (list.length < 2 || list.length > 3 || !list.every((n): n is number => typeof n === 'number' && Number.isFinite(n))) throw fault(`A point is [longitude, latitude] in numbers; ${what} is ${shortened(value)}.`)
  const [longitude = NaN, latitude = NaN, height] = list
  if (Math.abs(latitude) > 90) {
    const swapped = Math.abs(longitude) <= 90 ? ' Points are [longitude, latitude]: are they the wrong way round?' : ''
    throw fault(`The latitude ${latitude} (${what}) is not between -90 and 90.${swapped}`)
  }
  if (Math.abs(longitude) > 180) throw fault(`The longitude ${longitude} (${what}) is not between -180 and 180.`)
  return height === undefined ? [longitude, latitude] : [longitude, latitude, height]
}

const shortened = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 60)

export function asWkt(geometry: Geometry): string {
  // The library has no word for a collection without parts.
  return geojsonToWKT(flat(geometry)).replaceAll('GEOMETRYCOLLECTION()', 'GEOMETRYCOLLECTION EMPTY')
}

/** WKT says Z of the whole geometry; heights of some points only are left out, as there is no way to write them. */
function flat(geometry: Geometry): unknown {
  if (geometry.type === 'GeometryCollection') return { ...geometry, geometries: geometry.geometries.map(flat) }
  const points = positionsOf(geometry)
  if (points.length > 0 && points.every(({ length }) => length === 3)) return { ...geometry, properties: { z: true } }
  const cut = (value: unknown): unknown => (Array.isArray(value) ? (typeof value[0] === 'number' ? value.slice(0, 2) : value.map(cut)) : value)
  return { ...geometry, coordinates: cut(geometry.coordinates) }
}

export function positionsOf(geometry: Exclude<Geometry, { type: 'GeometryCollection' }>): Position[] {
  switch (geometry.type) {
    case 'Point':
      return geometry.coordinates.length === 0 ? [] : [geometry.coordinates]
    case 'MultiPoint':
    case 'LineString':
      return geometry.coordinates
    case 'MultiLineString':
    case 'Polygon':
      return geometry.coordinates.flat()
    case 'MultiPolygon':
      return geometry.coordinates.flat(2)
  }
}
