-- Which data set this is, and since when it is known to be whole: a mark that is lost with the data, and made anew by
-- whoever misses it.
--
-- KEYS[1]  the mark
-- ARGV[1]  a number that nobody else has chosen
-- ARGV[2]  for how many microseconds the data is whole by what the asker knows
--
-- Reply: the number of the data set; since when it is whole, and the time, in microseconds.
local SLACK = 1000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local era, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
local known = now - ARGV[2]
if not era then
  era, since = ARGV[1], now
elseif known > since + SLACK then
  -- What was on its way makes it a little later each time: not worth a write, nor everybody's notice.
  since = known
else
  return { tonumber(era), tonumber(since), now }
end
redis.call('SET', KEYS[1], string.format('%s %.0f', era, since))
return { tonumber(era), since, now }
