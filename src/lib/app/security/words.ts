/** Words of what guards the page. */
export const securityWords = {
  framed: 'Another site shows this page inside its own, where a click may be meant for something else than it seems. Halo opens in frames of other sites only under /embed.',
  openTab: 'Open it in a tab of its own',
}
