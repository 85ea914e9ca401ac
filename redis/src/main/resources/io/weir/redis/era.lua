-- Which data set this is: a mark that is lost with the data, and made anew by whoever misses it.
--
-- KEYS[1]  the mark
-- ARGV[1]  a number that nobody else has chosen
-- ARGV[2]  the number of a data set that is not to be relied on any more; 0 for none
--
-- Reply: the number of the data set; when it was marked, and the time, in microseconds.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local era, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if not era or era == ARGV[2] then
  era, since = ARGV[1], string.format('%.0f', now)
  redis.call('SET', KEYS[1], era .. ' ' .. since)
end
return { tonumber(era), tonumber(since), now }
