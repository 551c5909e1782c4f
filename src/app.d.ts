/** Types of the app shell: SvelteKit looks for them here. */
export {}
