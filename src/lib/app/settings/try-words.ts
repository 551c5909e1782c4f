export const tryWords = {
  listed: (title: string, n: number) => `${title} answers and takes the key as it is: ${n} ${n === 1 ? 'model' : 'models'}.`,
  publicList: (title: string, n: number) => `${title} answers with ${n} models, but it does so for anybody: name a model to test the key as well.`,
  none: (title: string) => `${title} answers, but lists no models.`,
  noneOllama: 'Ollama answers, but has no models yet. Fetch one with `ollama pull qwen3`.',
  nameOne: (title: string) => `${title} has no list of its models: name one to test it.`,
  answered: (title: string, model: string, ms: number) => `${title} answers: ${model} took ${ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`}.`,
  stopped: 'Stopped.',
  slow: (title: string, seconds: number) => `${title} did not answer within ${seconds} s. Check the address, or try again: a model that is loaded first takes longer.`,
}
