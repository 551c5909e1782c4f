// SvelteKit takes the hash for the encoded id of an element, and fails as it starts on one that isn't well encoded.
try {
  decodeURIComponent(location.hash)
} catch {
  history.replaceState(history.state, '', `#${encodeURIComponent(location.hash.slice(1))}`)
}
