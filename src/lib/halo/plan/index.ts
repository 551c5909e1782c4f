export { plan, type PlanOptions } from './plan.ts'
export { planText } from './text.ts'
export type {
  Plan, PipelinePlan, PlannedAgent, PlannedCall, PlannedStage, PlanSummary, SpendLimit, Times, TimesFactor,
} from './types.ts'
