-- The sealed export that brought an error, as events, AI visits and vitals have it. What is purged has the columns of its table.
ALTER TABLE errors ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1));

ALTER TABLE purged_errors ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1));
