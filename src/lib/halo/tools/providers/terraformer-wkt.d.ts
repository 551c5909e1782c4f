/** The package has no types of its own. */
declare module '@terraformer/wkt' {
  export function wktToGeoJSON(text: string): unknown
  export function geojsonToWKT(geometry: unknown): string
}
