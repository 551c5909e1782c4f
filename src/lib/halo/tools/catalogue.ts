/** The built-in providers. Each record is light; what a method needs is loaded when it is called. */
import { bash } from './providers/bash.ts'
import { csv } from './providers/csv.ts'
import { data } from './providers/data.ts'
import { fileStore } from './providers/file-store.ts'
import { geo } from './providers/geo.ts'
import { http } from './providers/http.ts'
import { math } from './providers/math.ts'
import { slack } from './providers/slack.ts'
import { timeProvider } from './providers/time.ts'
import { vectorStore } from './providers/vector-store.ts'
import { web } from './providers/web.ts'
import { workspace } from './providers/workspace.ts'
import type { ProviderDefinition } from './types.ts'

export const catalogue: readonly ProviderDefinition[] = [workspace, bash, web, http, slack, data, csv, geo, math, timeProvider, vectorStore, fileStore]
