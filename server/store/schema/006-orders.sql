-- Keyed hash of the order that an event belongs to; 0 for none. The index finds the reports of an order in all months.
ALTER TABLE events ADD COLUMN IF NOT EXISTS order_id UInt64 CODEC(ZSTD(1));
ALTER TABLE events ADD INDEX IF NOT EXISTS orders order_id TYPE bloom_filter(0.001) GRANULARITY 1;
-- The event's id again if it has an order, else 0: a column of zeros is read much faster than one of ids.
ALTER TABLE events ADD COLUMN IF NOT EXISTS order_event UInt64 CODEC(ZSTD(1));
-- Events that do not count as payments, since a better report of the same order does. `replaced`: they do not count as events either,
-- since the better report is about the same event. This table is a set: the same row may be written many times.
CREATE TABLE IF NOT EXISTS superseded (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  replaced UInt8 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), event_id, replaced)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
