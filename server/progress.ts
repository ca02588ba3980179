// How far a long piece of work has come, told to whoever waits for it.

export type Progress = { done: number; total: number };
