-- Counts the nodes that share the buckets: those that have told lately that they are there.
-- KEYS[1]  a sorted set: a node's id with the time, in ms, when it was last heard of
-- ARGV[1]  the id of the node that tells
-- ARGV[2]  for how many ms a node counts after it has told; 0: it leaves
-- returns  {how many there are}
local key, id, life = KEYS[1], ARGV[1], tonumber(ARGV[2])
if life == 0 then
  redis.call('ZREM', key, id)
else
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZADD', key, string.format('%.0f', now), id)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('(%.0f', now - life))
  -- Who is of the future was told of by a server whose clock was ahead, and may be gone.
  redis.call('ZREMRANGEBYSCORE', key, string.format('(%.0f', now), '+inf')
  redis.call('PEXPIRE', key, life)
end
return {redis.call('ZCARD', key)}
