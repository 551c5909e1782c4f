/** Where the boxes and lines of the picture stand, in CSS pixels from its top left. */
import type { StageNode } from './shape.ts'

export interface Box {
  node: StageNode
  x: number
  y: number
  width: number
  height: number
  /** Has lanes that can be opened or closed. */
  folds: boolean
  open: boolean
}
/** The border around what stands in a stage. */
export interface Frame {
  path: string
  label?: string
  x: number
  y: number
  width: number
  height: number
}
export interface Line {
  /** An SVG path. */
  d: string
  back: boolean
}
export interface LaneLabel {
  text: string
  x: number
  y: number
  width: number
}
export interface Picture {
  width: number
  height: number
  boxes: Box[]
  frames: Frame[]
  lines: Line[]
  labels: LaneLabel[]
}

const BOX = { width: 184, height: 46 }
const GAP = 22
const LANE_GAP = 14
const PAD = 12
/** The room of a lane's own label. */
const LABEL = 18
/** Room on the right for one back arrow. */
const BACK = 24

interface Size {
  width: number
  height: number
}

/** `open`: paths of called pipelines whose stages are shown. */
export function layout(stages: readonly StageNode[], open: ReadonlySet<string>): Picture {
  const picture: Picture = { width: 0, height: 0, boxes: [], frames: [], lines: [], labels: [] }
  const size = chainSize(stages, open)
  placeChain(picture, stages, open, PAD, PAD, size.width)
  picture.width = size.width + 2 * PAD
  picture.height = size.height + 2 * PAD
  return picture
}

const showsLanes = (node: StageNode, open: ReadonlySet<string>): boolean => node.lanes.length > 0 && (!node.nested || open.has(node.path))

const backs = (stages: readonly StageNode[]): number => stages.filter((stage) => stage.back !== undefined).length

function chainSize(stages: readonly StageNode[], open: ReadonlySet<string>): Size {
  let width = 0
  let height = 0
  for (const [i, stage] of stages.entries()) {
    const size = stageSize(stage, open)
    width = Math.max(width, size.width)
    height += size.height + (i === 0 ? 0 : GAP)
  }
  return { width: width + backs(stages) * BACK, height }
}

function lanesSize(node: StageNode, open: ReadonlySet<string>): Size {
  const sizes = node.lanes.map((lane) => chainSize(lane.stages, open))
  return {
    width: Math.max(BOX.width, sizes.reduce((sum, size) => sum + Math.max(size.width, BOX.width), 0) + LANE_GAP * (sizes.length - 1)) + 2 * PAD,
    height: Math.max(0, ...sizes.map(({ height }) => height)) + LABEL + PAD,
  }
}

function stageSize(node: StageNode, open: ReadonlySet<string>): Size {
  if (!showsLanes(node, open)) return BOX
  const lanes = lanesSize(node, open)
  return { width: lanes.width, height: BOX.height + GAP + lanes.height }
}

/** Places a chain in a column from `x`, centred in `width`. */
function placeChain(picture: Picture, stages: readonly StageNode[], open: ReadonlySet<string>, x: number, top: number, width: number): void {
  const centre = x + (width - backs(stages) * BACK) / 2
  const byPath = new Map<string, Box>()
  let y = top
  let used = 0
  for (const [i, node] of stages.entries()) {
    const size = stageSize(node, open)
    if (i > 0) picture.lines.push({ d: `M${centre} ${y - GAP}V${y - 5}`, back: false })
    const box: Box = { node, x: centre - BOX.width / 2, y, ...BOX, folds: node.nested, open: node.nested && open.has(node.path) }
    picture.boxes.push(box)
    byPath.set(node.path, box)
    if (showsLanes(node, open)) placeLanes(picture, node, open, centre - size.width / 2, y + BOX.height)
    const target = node.back === undefined ? undefined : byPath.get(node.back)
    if (target) {
      const right = x + width - (backs(stages) - used) * BACK + 18
      used++
      const edge = box.x + box.width
      picture.lines.push({ d: `M${edge} ${box.y + box.height / 2}H${right - 6}q6 0 6 -6V${target.y + target.height / 2 + 6}q0 -6 -6 -6H${target.x + target.width + 5}`, back: true })
    }
    y += size.height + GAP
  }
}

function placeLanes(picture: Picture, node: StageNode, open: ReadonlySet<string>, x: number, y: number): void {
  const size = lanesSize(node, open)
  const top = y + GAP
  picture.frames.push({ path: node.path, x, y: top, ...size })
  picture.lines.push({ d: `M${x + size.width / 2} ${y}V${top - 5}`, back: false })
  const content = node.lanes.reduce((sum, lane) => sum + Math.max(BOX.width, chainSize(lane.stages, open).width), 0) + LANE_GAP * (node.lanes.length - 1)
  let left = x + (size.width - content) / 2
  for (const lane of node.lanes) {
    const width = Math.max(BOX.width, chainSize(lane.stages, open).width)
    if (lane.label !== undefined) picture.labels.push({ text: lane.label, x: left, y: top + 1, width })
    placeChain(picture, lane.stages, open, left, top + LABEL, width)
    left += width + LANE_GAP
  }
}
