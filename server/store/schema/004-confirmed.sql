-- 1 where a server of the site said it, 0 where a browser did: anybody can make a browser say anything. Rows from before this
-- column are told by their visitor, which servers' events do not have.
ALTER TABLE events ADD COLUMN IF NOT EXISTS confirmed UInt8 DEFAULT visitor_id = 0 CODEC(ZSTD(1));
