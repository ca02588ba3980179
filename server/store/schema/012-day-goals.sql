-- How often goals were reached on closed days, and what was paid then. `goal` is a hash of what is counted: the conditions of a goal or of
-- several, with the currency and the largest amount. A renamed goal is still the same one; a goal that was edited is another.
-- `summing` names the sums of the day that were in use: these numbers are in use together with them, and never change.
CREATE TABLE IF NOT EXISTS day_goals (
  site_id LowCardinality(String),
  day Date,
  summing LowCardinality(String) CODEC(ZSTD(1)),
  goal String CODEC(ZSTD(1)),
  conversions UInt64 CODEC(T64, ZSTD(1)),
  converted_visitors UInt64 CODEC(T64, ZSTD(1)),
  events UInt64 CODEC(T64, ZSTD(1)),
  orders Int64 CODEC(T64, ZSTD(1)),
  implausible_orders Int64 CODEC(T64, ZSTD(1)),
  payments Int64 CODEC(T64, ZSTD(1)),
  paid Decimal(38, 4) CODEC(ZSTD(1)),
  refunded Decimal(38, 4) CODEC(ZSTD(1)),
  paid_confirmed Decimal(38, 4) CODEC(ZSTD(1))
)
-- Two processes may count the same day.
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, day, summing, goal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
