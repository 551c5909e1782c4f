/** Is the page in a frame of another origin? */
export function framedElsewhere(): boolean {
  if (window.top === window.self) return false
  try {
    return window.top?.location.origin !== window.location.origin
  } catch {
    // Reading another origin's address throws.
    return true
  }
}
