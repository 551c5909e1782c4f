/** `Geo()`: points and areas on the earth. */
import { Type } from 'typebox'
import type { ProviderDefinition } from '../types.ts'

const strict = { additionalProperties: false }
const point = (description: string) => Type.Array(Type.Number(), { minItems: 2, maxItems: 3, description: `${description}: [longitude, latitude] in degrees (WGS 84).` })
const geometry = (description: string) => Type.Union([Type.String(), Type.Object({})], { description: `${description}, as WKT or GeoJSON.` })

const loaded = () => import('./geo-measures.ts')
const reading = () => import('./geo-geometry.ts')

export const geo: ProviderDefinition = {
  name: 'Geo',
  description: 'Distances, areas and geometries on the earth; points are [longitude, latitude], geometries WKT or GeoJSON.',
  config: Type.Object({}, strict),
  info: {
    distance: {
      description: 'The great-circle distance between two points, in metres, on a sphere of the earth\'s mean radius.',
      parameters: Type.Object({ a: point('The one point'), b: point('The other point') }, strict),
      effect: 'read',
      result: Type.Number(),
    },
    bearing: {
      description: 'The compass bearing in which one sets out from a to b, in degrees clockwise from north (0 to 360).',
      parameters: Type.Object({ a: point('From'), b: point('To') }, strict),
      effect: 'read',
      result: Type.Number(),
    },
    geohash: {
      description: 'The geohash of a point.',
      parameters: Type.Object({ point: point('The point'), precision: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, description: 'How many characters. Default 7, a cell of about 150 m.' })) }, strict),
      effect: 'read',
      result: Type.String(),
    },
    within: {
      description: 'Whether a point lies in an area. Its border belongs to it; edges are straight in longitude and latitude, and areas across the 180th meridian are split at it, as in GeoJSON.',
      parameters: Type.Object({ point: point('The point'), area: geometry('A Polygon or MultiPolygon') }, strict),
      effect: 'read',
      result: Type.Boolean(),
    },
    centroid: {
      description: 'The centre of mass of a geometry in longitude and latitude, as a GeoJSON Point: of its areas, else of its lines, else of its points.',
      parameters: Type.Object({ geometry: geometry('The geometry') }, strict),
      effect: 'read',
      result: Type.Object({ type: Type.Literal('Point'), coordinates: Type.Array(Type.Number()) }),
    },
    area: {
      description: 'The area of a Polygon or MultiPolygon on the ellipsoid of WGS 84, in square metres; edges are geodesics, holes are taken off.',
      parameters: Type.Object({ geometry: geometry('A Polygon or MultiPolygon') }, strict),
      effect: 'read',
      result: Type.Number(),
    },
    parse: {
      description: 'Reads a geometry, checks it, and gives it as GeoJSON or as WKT.',
      parameters: Type.Object({ geometry: geometry('The geometry'), to: Type.Optional(Type.Union([Type.Literal('geojson'), Type.Literal('wkt')], { description: 'Default geojson.' })) }, strict),
      effect: 'read',
      result: Type.Unknown({ description: 'A GeoJSON geometry, or WKT text.' }),
    },
  },
  provider: () => ({
    distance: async ({ a, b }) => (await loaded()).distance(a, b),
    bearing: async ({ a, b }) => (await loaded()).bearing(a, b),
    geohash: async ({ point, precision = 7 }) => (await loaded()).geohash(point, precision as number),
    within: async ({ point, area }) => (await loaded()).within(point, area),
    centroid: async ({ geometry }) => (await loaded()).centroid(geometry),
    area: async ({ geometry }) => (await loaded()).area(geometry),
    parse: async ({ geometry, to }) => {
      const { asWkt, readGeometry } = await reading()
      const read = readGeometry(geometry)
      return to === 'wkt' ? asWkt(read) : read
    },
  }),
}
