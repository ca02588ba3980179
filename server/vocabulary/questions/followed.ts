// The procedures whose answers a dashboard may follow over its socket.
export const FOLLOWED = ['stats.summary', 'stats.timeseries', 'stats.breakdown', 'shares.piece'] as const;
