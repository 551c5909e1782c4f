/**
 * Property tests draw the same cases each time, so that what fails fails again for everyone. `HALO_PROPERTY_SEED=random`
 * draws others, `HALO_PROPERTY_SEED=N` those of a run that failed: fast-check prints its seed.
 */
import fc from 'fast-check'

const wanted = process.env.HALO_PROPERTY_SEED ?? '20261130'
if (wanted !== 'random') {
  const seed = Number(wanted)
  if (!Number.isInteger(seed)) throw new Error(`HALO_PROPERTY_SEED is a whole number or "random", not "${wanted}".`)
  fc.configureGlobal({ seed })
}
