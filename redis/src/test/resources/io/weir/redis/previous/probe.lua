-- Whether Redis takes writes, and what time it has.
--
-- KEYS[1]  a key for this, which lives for a second
--
-- Reply: 1; the time in microseconds.
local time = redis.call('TIME')
redis.call('SET', KEYS[1], '', 'PX', 1000)
return { 1, time[1] * 1000000 + time[2] }
