-- Token bucket and leaky bucket: io.weir.algorithm.Gcra.
--
-- Limit: 'g', first byte and length of a value, parts of a tick, what fills an empty bucket in ticks and parts, what
--        the request costs in ticks and parts, permits, what unpacking a value gives as the fifth number (capacity,
--        or where the value has none what comes after the value's end), format of a value; 1 if leaky, capacity,
--        period in ticks, the mark to give back to in ticks and parts: the tat that the charge left, or of an exact
--        token bucket the moment until which the charge alone flows back in.
-- Value: generation and flags (1 fine; 2 and 4 the fields' size, see below; 8 capacity is as permits); tat in ticks
--        and parts; permits and, unless flag 8, capacity of the limit that wrote it.
--        Ticks have 6 bytes, fine ones 7, and all others 1, 2 or 4: twelve in most buckets, since Redis needs 16
--        more for thirteen.
-- Reply: tat in ticks and parts.

local gcra = {}
algorithms.g = gcra

-- How many parts of a tick there are at `permits` in a period of `ticks`.
local function parts_of(permits, ticks)
  permits = max(1, permits)
  local a, b = ticks, permits
  while b > 0 do
    a, b = b, a % b
  end
  return permits / a
end

local function cap_at(b, tat, rest)
  if b.tat > tat or b.tat == tat and b.rest > rest then
    b.tat, b.rest = tat, rest
  end
end

-- Sets tat, of which there may be up to twice too many parts, or too few.
local function set_tat(b, tat, rest)
  local carry = floor(rest / b.parts)
  tat, rest = tat + carry, rest - carry * b.parts
  if tat < 0 then
    tat, rest = 0, 0
  end
  b.tat, b.rest = tat, rest
end

-- Takes over a bucket that another limit of the same period has written: the debt is kept as time.
local function inherit_tat(b, now, fine, tat, rest, permits)
  local ticks = b.period
  if fine and b.tick == 1000 then
    ticks = ticks * 1000
  elseif not fine and b.tick == 1 then
    ticks = ticks / 1000
  end
  local parts = parts_of(permits, ticks)
  if tat + (rest > 0 and 1 or 0) <= floor(now / (fine and 1 or 1000)) then
    return
  end
  if fine and b.tick == 1000 then
    rest = tat % 1000 * parts + rest
    tat = floor(tat / 1000)
    parts = parts * 1000
  elseif not fine and b.tick == 1 then
    tat = tat * 1000 + floor(rest * 1000 / parts)
    rest = rest * 1000 % parts
  end
  set_tat(b, tat, divide(rest, b.parts, parts - 1, parts))
  cap_at(b, floor(now / b.tick) + b.full, b.full_rest)
end

function gcra.open(key, limit, now)
  local b = { key = key, tat = 0, rest = 0, tail = '' }
  local leaky
  b.head, b.parts, b.full, b.full_rest, b.cost, b.cost_rest, b.permits, b.format,
    leaky, b.capacity, b.period, b.mark, b.mark_rest = unpack('<xBxI4I7I4I7I4I4xxxxsBI4I7I7I4', limit)
  b.tick = b.head % 2 == 1 and 1 or 1000
  b.leaky = leaky == 1
  local value = call('GET', key)
  if value then
    local head = value:byte() or 0
    local fine, size = head % 2 == 1, 2 ^ (floor(head / 2) % 4)
    local capacity_size = head % 16 < 8 and size or 0
    local length = 1 + (fine and 7 or 6) + 2 * size + capacity_size
    if head - head % 16 ~= GENERATION or size > 4 or #value < length then
      return nil
    end
    local its = 'I' .. size
    local _, tat, rest, permits, capacity = unpack('<B' .. (fine and 'I7' or 'I6') .. its .. its .. its, value .. '\0\0\0\0')
    if capacity_size == 0 then
      capacity = permits
    end
    b.tail = value:sub(length + 1)
    if b.capacity == 0 then
      -- Nothing fits here, ever; what others count is not ours to change.
    elseif permits ~= b.permits or capacity ~= b.capacity or fine ~= (b.tick == 1) then
      inherit_tat(b, now, fine, tat, rest, permits)
      b.changed = true
    elseif tat > floor((now + ahead) / b.tick) + 2 * b.full + 3 then
      b.tat, b.rest = floor(now / b.tick) + b.full, b.full_rest
      b.changed = true
    else
      b.tat, b.rest = tat, rest
    end
  end
  return b
end

-- Whether `times` times the cost fits, given as times * parts carried over.
local function fits_tat(b, now, tat, rest, times)
  rest = rest + times * b.cost_rest
  tat = tat + times * b.cost + floor(rest / b.parts)
  local last = now + b.full
  return tat < last or tat == last and rest % b.parts <= b.full_rest
end

function gcra.fit(b, now, times)
  now = floor(now / b.tick)
  local tat, rest = b.tat, b.rest
  if tat < now then
    tat, rest = now, 0
  end
  if not fits_tat(b, now, tat, rest, 1) then
    return 0
  end
  if times == 1 or fits_tat(b, now, tat, rest, times) then
    return times
  end
  -- An estimate, and from there step by step.
  local room = now + b.full - tat + (b.full_rest - rest) / b.parts
  local k = max(1, min(times, floor(room / (b.cost + b.cost_rest / b.parts))))
  while not fits_tat(b, now, tat, rest, k) do
    k = k - 1
  end
  while fits_tat(b, now, tat, rest, k + 1) do
    k = k + 1
  end
  return k
end

local function add_tat(b, at, times)
  local tat, rest = b.tat, b.rest
  if tat < at then
    tat, rest = at, 0
  end
  set_tat(b, tat + times * b.cost, rest + times * b.cost_rest)
end

function gcra.take(b, now, at, times)
  add_tat(b, floor(at / b.tick), times)
end

function gcra.wait(b, at)
  local ticks = b.tat + b.cost - b.full - floor(at / b.tick)
  return max(0, ticks - floor((b.full_rest - b.rest - b.cost_rest) / b.parts)) * b.tick
end

local function until_full(b, at)
  return max(0, b.tat + (b.rest > 0 and 1 or 0) - floor(at / b.tick))
end

function gcra.delay(b, at)
  return b.leaky and until_full(b, at) * b.tick or 0
end

function gcra.reach(b)
  return b.full
end

function gcra.force(b, now)
  now = floor(now / b.tick)
  add_tat(b, now, 1)
  local rest = 2 * b.full_rest
  cap_at(b, now + 2 * b.full + floor(rest / b.parts), rest % b.parts)
end

-- Where permits are leased, whoever was charged since may have been charged ahead of now, from where nothing is to be
-- taken back: then only the last charge is given back to.
function gcra.give_back(b, now, leased)
  now = floor(now / b.tick)
  local is_last = b.mark == b.tat and b.mark_rest == b.rest
  if now >= b.mark + (b.mark_rest > 0 and 1 or 0) or (b.leaky or leased) and not is_last then
    return
  end
  local ticks, rest, owed = b.cost, b.cost_rest, b.mark - now
  if ticks > owed or ticks == owed and rest > b.mark_rest then
    ticks, rest = owed, b.mark_rest
  end
  set_tat(b, b.tat - ticks, b.rest - rest)
end

function gcra.refund(b)
  set_tat(b, b.tat - b.cost, b.rest - b.cost_rest)
end

function gcra.save(b, now)
  local full = b.tat + (b.rest > 0 and 1 or 0)
  local fresh = b.tick == 1 and floor((full + 999) / 1000) or full
  store(b.key, pack(b.format, b.head, b.tat, b.rest, b.permits, b.capacity) .. b.tail, fresh - floor(now / 1000))
end

function gcra.tell(b, now, reply)
  reply[#reply + 1] = b.tat
  reply[#reply + 1] = b.rest
end
