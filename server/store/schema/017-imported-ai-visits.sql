-- The import that brought an AI visit: those of an access log leave with it.
ALTER TABLE ai_visits ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1)) AFTER status;
ALTER TABLE purged_ai_visits ADD COLUMN IF NOT EXISTS import_id LowCardinality(String) CODEC(ZSTD(1)) AFTER status;
