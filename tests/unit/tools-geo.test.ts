import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geo } from '../../src/lib/halo/tools/providers/geo.ts'
import type { Method } from '../../src/lib/halo/tools/types.ts'
import { toolContext } from './middleware-kit.ts'
import { expectDescribed } from './tool-results.ts'

async function call(name: string, args: Record<string, unknown>): Promise<unknown> {
  const methods = await geo.provider({}, { tool: 'Places', fetch, env: {}, runId: 'r' })
  const result = await (methods[name] as Method)(args, toolContext())
  expectDescribed(geo, name, result)
  return result
}
const refusal = (name: string, args: Record<string, unknown>): Promise<string> =>
  call(name, args).then(
    (value) => `gave ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )
const number = async (name: string, args: Record<string, unknown>): Promise<number> => Number(await call(name, args))
const parsed = (geometry: unknown, to?: string): Promise<unknown> => call('parse', { geometry, ...(to !== undefined && { to }) })

const SQUARE = 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))'
const HOLED = 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 3 1, 3 3, 1 3, 1 1))'
const position = fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }))

describe('distance and bearing', () => {
  test('a quarter of a great circle, on the mean radius of the IUGG', async () => {
    expect(await number('distance', { a: [0, 0], b: [0, 90] })).toBeCloseTo((6_371_008.8 * Math.PI) / 2, 5)
    expect(await number('distance', { a: [179.5, 0], b: [-179.5, 0] })).toBeCloseTo(111_195.08, 1)
    expect(await number('distance', { a: [0, 0], b: [180, 0] })).toBeCloseTo(6_371_008.8 * Math.PI, 5)
  })

  // Published with the formulas: Land's End to John o'Groats is 968.9 km with bearing 9°07'11", Baghdad to Osaka starts at 60°.
  test('between known places', async () => {
    const ends = { a: [-(5 + 42 / 60 + 53 / 3600), 50 + 3 / 60 + 59 / 3600], b: [-(3 + 4 / 60 + 12 / 3600), 58 + 38 / 60 + 38 / 3600] }
    expect((await number('distance', ends)) / 1000).toBeCloseTo(968.9, 1)
    expect(await number('bearing', ends)).toBeCloseTo(9 + 7 / 60 + 11 / 3600, 3)
    expect(Math.round(await number('bearing', { a: [45, 35], b: [135, 35] }))).toBe(60)
  })

  test('the four winds', async () => {
    expect(await Promise.all([[0, 1], [1, 0], [0, -1], [-1, 0]].map((b) => number('bearing', { a: [0, 0], b })))).toEqual([0, 90, 180, 270])
  })

  test('a distance is the same both ways and no longer than half the earth; a bearing is from 0 to below 360', async () => {
    await fc.assert(
      fc.asyncProperty(position, position, async (a, b) => {
        const there = await number('distance', { a, b })
        expect(there).toBeCloseTo(await number('distance', { a: b, b: a }), 6)
        expect(there).toBeGreaterThanOrEqual(0)
        expect(there).toBeLessThanOrEqual(6_371_008.8 * Math.PI + 1e-6)
        const bearing = await number('bearing', { a, b })
        expect(bearing >= 0 && bearing < 360).toBe(true)
      }),
    )
  })
})

describe('geohash', () => {
  test.each([
    [[10.40744, 57.64911], 11, 'u4pruydqqvj'],
    [[-5.6, 42.6], 5, 'ezs42'],
    [[-180, -90], 4, '0000'],
    [[180, 90], 4, 'zzzz'],
    [[0, 0], 3, 's00'],
  ])('of %j with %d characters', async (point, precision, hash) => {
    expect(await call('geohash', { point, precision })).toBe(hash)
  })

  test('has seven characters without being asked', async () => {
    expect(await call('geohash', { point: [10.40744, 57.64911] })).toBe('u4pruyd')
  })

  test('a point lies in the cell of its hash', async () => {
    const alphabet = '0123456789bcdefghjkmnpqrstuvwxyz'
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 12 }), async (point, precision) => {
        const bits = [...String(await call('geohash', { point, precision }))].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('')
        const cell = (parity: number, low: number, high: number) => {
          const own = [...bits].filter((_, i) => i % 2 === parity).join('')
          const width = (high - low) / 2 ** own.length
          const from = low + Number.parseInt(own, 2) * width
          return [from, from + width] as const
        }
        for (const [value, [from, to]] of [[point[0], cell(0, -180, 180)], [point[1], cell(1, -90, 90)]] as const) expect(value >= from && value <= to).toBe(true)
      }),
    )
  })
})

describe('area', () => {
  // GeographicLib's own tests of its planimeter, to a tenth of a square metre and to a square metre.
  test('on the ellipsoid', async () => {
    expect(await number('area', { geometry: 'POLYGON ((-1 0, 0 -1, 1 0, 0 1, -1 0))' })).toBeCloseTo(24_619_419_146, -1)
    expect(Math.abs((await number('area', { geometry: 'POLYGON ((0 90, 0 0, 90 0, 0 90))' })) - 63_758_202_715_511)).toBeLessThan(1)
  })

  test('is the same whichever way a ring turns, and holes are taken off', async () => {
    const whole = await number('area', { geometry: SQUARE })
    expect(await number('area', { geometry: 'POLYGON ((0 0, 0 4, 4 4, 4 0, 0 0))' })).toBeCloseTo(whole, 3)
    const hole = await number('area', { geometry: 'POLYGON ((1 1, 3 1, 3 3, 1 3, 1 1))' })
    expect(await number('area', { geometry: HOLED })).toBeCloseTo(whole - hole, 3)
    expect(await number('area', { geometry: 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))' })).toBeGreaterThan(0)
    expect(await call('area', { geometry: 'MULTIPOLYGON EMPTY' })).toBe(0)
  })

  test('is refused for lines, and for edges that go more than half round the earth', async () => {
    expect(await refusal('area', { geometry: 'LINESTRING (0 0, 1 1)' })).toBe('area needs a Polygon or MultiPolygon; this is a LineString.')
    expect(await refusal('area', { geometry: 'POLYGON ((170 0, -170 0, -170 10, 170 0))' })).toContain('spans 340° of longitude')
  })
})

describe('within and centroid', () => {
  test('inside, outside, in a hole, on the border', async () => {
    const within = (point: number[], area: unknown) => call('within', { point, area })
    expect(await within([2, 2], SQUARE)).toBe(true)
    expect(await within([5, 2], SQUARE)).toBe(false)
    expect(await within([2, 2], HOLED)).toBe(false)
    expect(await within([0.5, 0.5], HOLED)).toBe(true)
    expect(await within([4, 2], SQUARE)).toBe(true)
    expect(await within([5.5, 5.2], 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))')).toBe(true)
    expect(await within([2, 2], { type: 'Feature', properties: {}, geometry: await parsed(SQUARE) })).toBe(true)
    expect(await refusal('within', { point: [0, 0], area: 'POINT (0 0)' })).toContain('within needs a Polygon or MultiPolygon; this is a Point.')
  })

  test.each([
    ['POINT (1 2)', [1, 2]],
    ['MULTIPOINT ((0 0), (2 0), (1 3))', [1, 1]],
    ['LINESTRING (0 0, 2 0, 2 2)', [1.5, 0.5]],
    [SQUARE, [2, 2]],
    [HOLED, [2, 2]],
    // The L of two squares, the one twice the other: by area, not by corners.
    ['POLYGON ((0 0, 2 0, 2 1, 1 1, 1 2, 0 2, 0 0))', [5 / 6, 5 / 6]],
    ['GEOMETRYCOLLECTION (POINT (50 50), LINESTRING (9 9, 8 8), POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0)))', [2, 2]],
    // Without an area it is a line.
    ['POLYGON ((0 0, 2 0, 4 0, 0 0))', [2, 0]],
  ])('the centre of %s', async (geometry, [x = NaN, y = NaN]) => {
    const centre = (await call('centroid', { geometry })) as { coordinates: [number, number] }
    expect(centre.coordinates[0]).toBeCloseTo(x, 12)
    expect(centre.coordinates[1]).toBeCloseTo(y, 12)
  })

  test('what is empty has no centre', async () => {
    expect(await refusal('centroid', { geometry: 'GEOMETRYCOLLECTION EMPTY' })).toContain('has no centre')
  })

  test('the centre of a triangle lies within it', async () => {
    const point = fc.tuple(fc.integer({ min: -80, max: 80 }), fc.integer({ min: -80, max: 80 }))
    await fc.assert(
      fc.asyncProperty(point, point, point, async (a, b, c) => {
        fc.pre((b[0] - a[0]) * (c[1] - a[1]) !== (c[0] - a[0]) * (b[1] - a[1]))
        const geometry = { type: 'Polygon', coordinates: [[a, b, c, a]] }
        const { coordinates } = (await call('centroid', { geometry })) as { coordinates: number[] }
        expect(await call('within', { point: coordinates, area: geometry })).toBe(true)
      }),
    )
  })
})

describe('parse', () => {
  // The examples of the simple features standard.
  test.each([
    ['POINT (30 10)', { type: 'Point', coordinates: [30, 10] }],
    ['point(30 10)', { type: 'Point', coordinates: [30, 10] }],
    ['SRID=4326;POINT (1e1 -2.5E-1)', { type: 'Point', coordinates: [10, -0.25] }],
    ['POINT Z (30 10 5)', { type: 'Point', coordinates: [30, 10, 5] }],
    ['POINT EMPTY', { type: 'Point', coordinates: [] }],
    ['LINESTRING (30 10, 10 30, 40 40)', { type: 'LineString', coordinates: [[30, 10], [10, 30], [40, 40]] }],
    ['MULTIPOINT (10 40, 40 30)', { type: 'MultiPoint', coordinates: [[10, 40], [40, 30]] }],
    ['POLYGON ((30 10, 40 40, 20 40, 30 10))', { type: 'Polygon', coordinates: [[[30, 10], [40, 40], [20, 40], [30, 10]]] }],
    ['GEOMETRYCOLLECTION (POINT (40 10), LINESTRING (10 10, 20 20))', { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [40, 10] }, { type: 'LineString', coordinates: [[10, 10], [20, 20]] }] }],
  ])('%s', async (wkt, geojson) => {
    expect(await parsed(wkt)).toEqual(geojson)
    expect(await parsed(JSON.stringify(geojson))).toEqual(geojson)
    expect(await parsed(await parsed(geojson, 'wkt'))).toEqual(geojson)
  })

  test('what is written as WKT is read as it was', async () => {
    const coordinate = fc.tuple(fc.integer({ min: -180_000, max: 180_000 }).map((n) => n / 1000), fc.integer({ min: -90_000, max: 90_000 }).map((n) => n / 1e7))
    const simple = fc.oneof(
      coordinate.map((coordinates) => ({ type: 'Point', coordinates })),
      fc.array(coordinate, { minLength: 2, maxLength: 5 }).map((coordinates) => ({ type: 'LineString', coordinates })),
      fc.array(coordinate, { maxLength: 5 }).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
      fc.array(coordinate, { minLength: 3, maxLength: 5 }).map((ring) => ({ type: 'Polygon', coordinates: [[...ring, ring[0]]] })),
    )
    const geometry = fc.oneof(simple, fc.array(simple, { maxLength: 3 }).map((geometries) => ({ type: 'GeometryCollection', geometries })))
    await fc.assert(
      fc.asyncProperty(geometry, async (given) => {
        expect(await parsed(await parsed(given, 'wkt'))).toEqual(JSON.parse(JSON.stringify(given)))
      }),
    )
  })

  test.each([
    ['POINT (95 95)', 'The latitude 95 (The geometry) is not between -90 and 90.'],
    ['POINT (13 95)', 'are they the wrong way round?'],
    ['POINT (190 5)', 'The longitude 190'],
    ['POLYGON ((0 0, 1 0, 1 1, 0 1))', "The polygon's ring 1 is not closed: it begins at [0, 0] and ends at [0, 1]; its last point must be its first."],
    ['POLYGON ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 1 1))', 'ring 2 has 3 points'],
    ['LINESTRING (1 1)', 'at least two points'],
    ['LINESTRING (1 1, 2 99)', 'The latitude 99 (point 2 of the line)'],
    ['POINT (1)', 'is no WKT'],
    ['POINT (1 2', 'it ends too early'],
    ['POINT (1 2) x', 'is no WKT'],
    ['CIRCLE (1 2)', 'neither WKT nor GeoJSON'],
    ['', 'is empty'],
    ['SRID=3857;POINT (1 2)', 'reference system 3857'],
    ['POINT M (1 2 3)', 'measures (M)'],
    ['{"type":"Point"', 'is no GeoJSON'],
    [{ type: 'Point', coordinates: ['1', '2'] }, 'is ["1","2"]'],
    [{ type: 'Square', coordinates: [] }, 'has the type "Square"; a geometry is one of Point'],
    [{ type: 'Polygon' }, 'has no list'],
    [{ type: 'MultiPolygon', coordinates: [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[0, 0], [1, 0], [1, 91], [0, 0]]]] }, 'The latitude 91 (point 3 of ring 1 of polygon 2)'],
    [{ type: 'Feature', geometry: null }, 'neither WKT nor GeoJSON'],
  ])('%j is refused', async (geometry, words) => {
    expect(await refusal('parse', { geometry })).toContain(words)
  })

  test('geometries within each other without end are refused', async () => {
    let nested: unknown = { type: 'Point', coordinates: [0, 0] }
    for (let i = 0; i < 10_000; i++) nested = { type: 'GeometryCollection', geometries: [nested] }
    expect(await refusal('parse', { geometry: nested })).toContain('nested more than 32 deep')
  })

  test('points given to measures are checked too', async () => {
    expect(await refusal('distance', { a: [0, 95], b: [0, 0] })).toContain('The latitude 95 (a)')
    expect(await refusal('bearing', { a: [0, 0], b: [0, NaN] })).toContain('b is [0,null]')
    expect(await refusal('geohash', { point: [200, 0] })).toContain('The longitude 200 (the point)')
  })
})
