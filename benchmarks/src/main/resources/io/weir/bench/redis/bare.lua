-- The smallest GCRA that keeps the time in Redis, as the measure of scripts: no format, no explanation.
-- KEYS[1] the bucket; ARGV[1] µs that a permit takes, ARGV[2] µs that a full bucket takes.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local tat = math.max(tonumber(redis.call('GET', KEYS[1])) or now, now) + ARGV[1]
if tat - now > tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[1], tat, 'PX', math.ceil((tat - now) / 1000))
return 1
