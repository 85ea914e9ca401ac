-- The commonest request of all, on its own: take from a single token or leaky bucket that is as this node left it.
-- Whatever else there is falls through to the files after this one; see gcra.lua and verbs.lua for KEYS, ARGV, reply.
do
  local call, unpack = redis.call, struct.unpack
  local flags, parts, full, full_rest, permits, capacity, cost, cost_rest = unpack('<xBI4I7I4I4I4I7I4', ARGV[1])
  local micros, times, linger = 0, 1, 0
  if ARGV[2] then
    micros, times = unpack('<xI7I4', ARGV[2])
  end
  if micros == 0 then
    local time = call('TIME')
    micros = time[1] * 1000000 + time[2]
  else
    linger = 3600000
  end
  local head, now = 16, micros
  if flags % 2 == 1 then
    head = 17
  else
    now = (micros - micros % 1000) / 1000
  end
  local value = call('GET', KEYS[1])
  local tat, rest = 0, 0
  local usual = not value
  if value and #value == 20 then
    local its_head, its_permits, its_capacity
    its_head, tat, rest, its_permits, its_capacity = unpack('<BI7I4I4I4', value)
    usual = its_permits == permits and its_capacity == capacity and its_head == head and tat <= now + 2 * full + 3
  end
  if usual and times == 1 then
    local after, after_rest = tat + cost, rest + cost_rest
    if tat < now then
      after, after_rest = now + cost, cost_rest
    end
    if after_rest >= parts then
      after, after_rest = after + 1, after_rest - parts
    end
    local last = now + full
    if after > last or after == last and after_rest > full_rest then
      return { 0, micros, tat, rest }
    end
    local ttl = after - now
    if after_rest > 0 then
      ttl = ttl + 1
    end
    if head == 17 then
      ttl = ttl + now % 1000
      ttl = (ttl + 999 - (ttl + 999) % 1000) / 1000
    end
    value = struct.pack('<BI7I4I4I4', head, after, after_rest, permits, capacity)
    call('SET', KEYS[1], value, 'PX', ttl + linger)
    return { 1, micros, after, after_rest }
  end
end
