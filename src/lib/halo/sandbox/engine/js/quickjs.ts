import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core'

const PAGE = 65_536
const INITIAL_PAGES = 256

/** The compiled engine. Absent where the platform finds the file by itself (Node). */
export type WasmSource = WebAssembly.Module | undefined

/** A fresh instance with its own capped memory: QuickJS's own limit doesn't hold in wasm, and after an interrupt an instance is spent. */
export function freshQuickJs(wasm: WasmSource, memoryBytes: number): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: Math.max(INITIAL_PAGES, Math.ceil(memoryBytes / PAGE)) })
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory, ...(wasm && { wasmModule: wasm }) }))
}
