export { createEmbedded } from '../../halo/sandbox/embedded.ts'
