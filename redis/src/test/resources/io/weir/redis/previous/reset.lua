-- Makes a key as good as new.
--
-- KEYS  its buckets under all limits
--
-- Reply: how many there were; the time in microseconds.
local time = redis.call('TIME')
return { redis.call('UNLINK', unpack(KEYS)), time[1] * 1000000 + time[2] }
