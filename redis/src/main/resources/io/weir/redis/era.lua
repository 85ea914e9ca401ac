-- Which data set this is, since when it is known to be whole, and what might make it less: a mark that is lost with
-- the data, and made anew by whoever misses it.
--
-- KEYS[1]  the mark
-- ARGV[1]  a number that nobody else has chosen
-- ARGV[2]  for how many microseconds the data is whole by what the asker knows
--
-- Reply: the number of the data set; since when it is whole, and the time, in microseconds; how many keys were
-- evicted, and the maxmemory-policy; up to where replicas have to have copied to have all that was done before this.
local SLACK = 1000000
local function info(section, name)
  return string.match(redis.call('INFO', section), name .. ':(%S*)') or ''
end
local evicted = tonumber(info('stats', 'evicted_keys')) or -1
local policy = info('memory', 'maxmemory_policy')
local offset = tonumber(info('replication', 'master_repl_offset')) or -1
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local era, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
local known = now - ARGV[2]
if not era then
  era, since = ARGV[1], now
elseif tonumber(since) > now then
  -- Written before the clock was put back. It would count as new until the clock is there again.
  since = now
elseif known > since + SLACK then
  -- What was on its way makes it a little later each time: not worth a write, nor everybody's notice.
  since = known
else
  return { tonumber(era), tonumber(since), now, evicted, policy, offset }
end
redis.call('SET', KEYS[1], string.format('%s %.0f', era, since))
return { tonumber(era), since, now, evicted, policy, offset }
