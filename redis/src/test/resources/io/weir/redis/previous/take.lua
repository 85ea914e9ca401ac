-- The commonest request of all, on its own: take from a single token or leaky bucket that is as this node left it.
-- Whatever else there is falls through to the files after this one; see gcra.lua and verbs.lua for KEYS, ARGV, reply.
do
  local call, unpack = redis.call, struct.unpack
  local head, length, parts, full, full_rest, cost, cost_rest, permits, fifth, format =
    unpack('<xBBI4I7I4I7I4I4I4s', ARGV[1])
  local micros, times, linger, margin = 0, 1, 0, 0
  if ARGV[2] then
    micros, times = unpack('<xI7I4', ARGV[2])
    if #ARGV[2] == 31 then
      margin = unpack('<I4', ARGV[2], 28)
    end
  end
  if micros == 0 then
    local time = call('TIME')
    micros = time[1] * 1000000 + time[2]
  else
    linger = 3600000
  end
  local is_fine, now = head % 2 == 1, micros
  if not is_fine then
    now = (micros - micros % 1000) / 1000
  end
  local value = call('GET', KEYS[1])
  local tat, rest, usual = 0, 0, not value
  if value and #value == length and value:byte() == head then
    local _, its_permits, its_fifth
    _, tat, rest, its_permits, its_fifth = unpack(format, value)
    usual = its_permits == permits and its_fifth == fifth and tat <= now + 2 * full + 3
  end
  if usual then
    if tat < now then
      tat, rest = now, 0
    end
    local after, after_rest = tat + times * cost, rest + times * cost_rest
    if after_rest >= parts then
      local left = after_rest % parts
      after, after_rest = after + (after_rest - left) / parts, left
    end
    local last = now + full
    if after < last or after == last and after_rest <= full_rest then
      if margin > 0 then
        -- Of a strict limiter it counts later, as in verbs.lua.
        local tick = is_fine and 1 or 1000
        local at = (micros + margin + math.min(500000, math.floor(full * tick / 1000))) / tick
        at = at - at % 1
        if tat < at then
          local left = times * cost_rest
          after_rest = left % parts
          after = at + times * cost + (left - after_rest) / parts
        end
        linger = linger + (margin - margin % 1000) / 1000 + 1
      end
      local ttl = after - now
      if after_rest > 0 then
        ttl = ttl + 1
      end
      if is_fine then
        ttl = ttl + now % 1000 + 999
        ttl = (ttl - ttl % 1000) / 1000
      end
      call('SET', KEYS[1], struct.pack(format, head, after, after_rest, permits, fifth), 'PX', ttl + linger)
      return { times, micros, after, after_rest }
    elseif times == 1 then
      return { 0, micros, tat, rest }
    end
  end
end
