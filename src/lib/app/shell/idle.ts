/** How long a busy page may put off what can wait, in ms. */
const AT_LAST = 2000

/** Resolves once the page has loaded and has nothing better to do. */
export async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  await new Promise<void>((resolve) => {
    // Safari has no requestIdleCallback.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: AT_LAST })
    else setTimeout(resolve, 200)
  })
}
