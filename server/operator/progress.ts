// The progress of long-running work.

export type Progress = { done: number; total: number };
