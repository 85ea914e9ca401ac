-- Token bucket and leaky bucket: io.weir.algorithm.Gcra.
--
-- Limit: 'g', first byte and length of a value, parts of a tick, what fills an empty bucket in ticks and parts, what
--        the request costs in ticks and parts, permits, what unpacking a value gives as the fifth number (capacity,
--        or where the value has none what comes after the value's end), format of a value; 1 if leaky, capacity,
--        period in ticks, the mark to give back to in ticks and parts: the tat that the charge left, or of an exact
--        token bucket the moment until which the charge alone flows back in.
-- Value: generation and flags (1 fine; 2 and 4 the fields' size, see below; 8 capacity is as permits); tat in ticks
--        and parts; permits and, unless flag 8, carried capacity of the limit that wrote it.
--        Ticks have 6 bytes, fine ones 7, and all others 1, 2 or 4: twelve in most buckets, since Redis needs 16
--        more for thirteen.
--        While nodes differ in the rate of a token bucket also: a copy of tat, in ticks and parts; flag 1 of the
--        fastest limit that wrote it, its tat in ticks and parts, and its permits. A release before this one keeps
--        these fields but does not change them: where the copy is not the tat, they are void.
-- Reply: tat in ticks and parts.
--
-- Nodes with different limits share a bucket (docs/decisions/0029-limits-that-differ.md). What one of them reads is the
-- debt as time, or of a token bucket the debt as permits where these take longer to flow in here: 40 permits of a limit
-- of 40 in 12 s are 12 s there, and 48 s for a limit of 10 in 12 s. How many permits are owed is counted by the fastest
-- of the limits, apart from tat: were it taken from tat each time, each change of nodes would multiply it. That count
-- falls at the fastest rate, so where it decides, the debt falls faster than time passes.
--
-- The carried capacity is the limit's own, or while more is spent than that, what the largest of the limits that wrote
-- the bucket comes to in permits of this one. By it a bucket is known that lies further ahead than any limit can have
-- brought it: the relic of a clock that was put back.

local gcra = {}
algorithms.g = gcra

-- In microseconds: twice the longest time in which the bucket of any limit fills up, 50 years.
local LONGEST_DEBT = 3155760000000000

-- How many bytes the fields about the fastest limit have.
local FASTEST = 27

-- How many parts of a tick there are at `permits` in a period of `ticks`.
local function parts_of(permits, ticks)
  local a, b = ticks, permits
  while b > 0 do
    a, b = b, a % b
  end
  return permits / a
end

-- A tat as a limit counts it that has `permits` in the period of bucket `b`. A bucket is such a view too.
local function view_of(b, permits, fine, tat, rest)
  local tick = fine and 1 or 1000
  local period = b.period * b.tick / tick
  return { tick = tick, permits = permits, period = period, parts = parts_of(permits, period), tat = tat, rest = rest }
end

-- Sets tat, of which there may be up to twice too many parts, or too few.
local function set_tat(v, tat, rest)
  local carry = floor(rest / v.parts)
  tat, rest = tat + carry, rest - carry * v.parts
  if tat < 0 then
    tat, rest = 0, 0
  end
  v.tat, v.rest = tat, rest
end

local function cap_at(v, tat, rest)
  if v.tat > tat or v.tat == tat and v.rest > rest then
    v.tat, v.rest = tat, rest
  end
end

local function raise_to(v, tat, rest)
  if v.tat < tat or v.tat == tat and v.rest < rest then
    v.tat, v.rest = tat, rest
  end
end

-- A debt of `v`, in ticks and what is left over, or the longest that there is.
local function bounded(v, ticks, left)
  local longest = LONGEST_DEBT / v.tick
  if ticks >= longest then
    return longest, 0
  end
  return ticks, left
end

-- What `permits` take to flow in, in ticks and parts.
local function time_of(v, permits)
  local ticks, left = bounded(v, divide(v.period, permits, 0, v.permits))
  return ticks, left / (v.permits / v.parts)
end

local function add_tat(v, at, ticks, parts)
  if v.tat < at then
    v.tat, v.rest = at, 0
  end
  set_tat(v, v.tat + ticks, v.rest + parts)
end

-- As many permits as flow in at `v` within `ticks` and `parts`, in ticks of `to`, what is left over and how much of that
-- is a part there.
local function scale(v, ticks, parts, to)
  local per_tick, per_part, unit = v.permits, v.permits / v.parts, to.permits
  if v.tick < to.tick then
    unit = unit * 1000
  elseif v.tick > to.tick then
    per_tick, per_part = per_tick * 1000, per_part * 1000
  end
  local whole, left = bounded(to, divide(ticks, per_tick, parts * per_part, unit))
  return whole, left, unit / to.parts
end

-- Raises the tat of `to` to that of `v`, as time.
local function raise_as_time(to, v)
  local tat, rest, parts = v.tat, v.rest, v.parts
  if v.tick < to.tick then
    rest = tat % 1000 * parts + rest
    tat = floor(tat / 1000)
    parts = parts * 1000
  elseif v.tick > to.tick then
    tat = tat * 1000 + floor(rest * 1000 / parts)
    rest = rest * 1000 % parts
  end
  local later = { parts = to.parts }
  set_tat(later, tat, (divide(rest, to.parts, parts - 1, parts)))
  raise_to(to, later.tat, later.rest)
end

-- Raises the tat of `to` by what `v` has as debt at `now`, as permits.
local function raise_as_permits(to, v, now)
  local debt = v.tat - floor(now / v.tick)
  if debt >= 0 then
    local ticks, left, part = scale(v, debt, v.rest, to)
    local later = { parts = to.parts }
    set_tat(later, floor(now / to.tick) + ticks, floor((left + part - 1) / part))
    raise_to(to, later.tat, later.rest)
  end
end

-- What a limit of `permits` and `capacity` comes to in permits of this one.
local function carried_of(b, permits, capacity)
  if b.leaky or permits < b.permits then
    capacity = min(LARGEST_COUNT, (divide(capacity, b.permits, permits - 1, permits)))
  end
  return max(b.capacity, capacity)
end

-- Reads what another limit has written, or this one while others were about.
local function open_other(b, now, known, capacity)
  local fastest = known
  if #b.tail >= FASTEST then
    local tat, rest, fine, its_tat, its_rest, permits = unpack('<I7I4BI7I4I4', b.tail)
    if tat == known.tat and rest == known.rest then
      fastest = view_of(b, max(1, permits), fine == 1, its_tat, its_rest)
    end
    b.tail = b.tail:sub(FASTEST + 1)
  end
  if known.tat + (known.rest > 0 and 1 or 0) <= floor(now / known.tick) then
    return
  end
  local its_full = divide(known.period, capacity, 0, known.permits)
  local full = max(its_full, floor(b.full * b.tick / known.tick))
  local carried = carried_of(b, known.permits, capacity)
  if known.tat > floor((now + ahead) / known.tick) + 2 * full + 3 then
    local ticks, parts = time_of(b, carried)
    b.tat, b.rest, b.changed = floor(now / b.tick) + ticks, parts, true
  else
    raise_as_time(b, known)
    if not b.leaky then
      if fastest.permits <= b.permits then
        local mine = view_of(b, b.permits, b.tick == 1, floor(now / b.tick), 0)
        raise_as_permits(mine, fastest, now)
        fastest = mine
      end
      b.fastest, b.time_tat, b.time_rest = fastest, b.tat, b.rest
      raise_as_permits(b, fastest, now)
      b.falls_faster = b.tat > b.time_tat or b.tat == b.time_tat and b.rest > b.time_rest
    end
  end
  local last = floor(now / b.tick) + b.full
  if b.tat > last or b.tat == last and b.rest > b.full_rest then
    b.carried = carried
  end
end

function gcra.open(key, limit, now, cost)
  local b = { key = key, tat = 0, rest = 0, tail = '' }
  local leaky
  b.head, b.parts, b.full, b.full_rest, b.cost, b.cost_rest, b.permits, b.format,
    leaky, b.capacity, b.period, b.mark, b.mark_rest = unpack('<xBxI4I7I4I7I4I4xxxxsBI4I7I7I4', limit)
  b.tick, b.permits = b.head % 2 == 1 and 1 or 1000, max(1, b.permits)
  b.leaky, b.carried, b.asked = leaky == 1, b.capacity, cost
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
    elseif permits ~= b.permits or capacity ~= b.capacity or fine ~= (b.tick == 1) or #b.tail >= FASTEST then
      open_other(b, now, view_of(b, max(1, permits), fine, tat, rest), capacity)
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

function gcra.take(b, now, at, times)
  add_tat(b, floor(at / b.tick), times * b.cost, times * b.cost_rest)
  if b.fastest then
    add_tat(b.fastest, floor(at / b.fastest.tick), time_of(b.fastest, times * b.asked))
  end
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

local function force_on(v, now, permits, most)
  now = floor(now / v.tick)
  local tat, rest = v.tat, v.rest
  add_tat(v, now, time_of(v, min(permits, most)))
  local ticks, parts = time_of(v, most)
  cap_at(v, now + ticks, parts)
  raise_to(v, tat, rest)
end

function gcra.force(b, now)
  if b.fastest then
    -- Beyond a full debt, permits of others count as time only: other nodes have to wait for it.
    cap_at(b, floor(now / b.tick) + b.full, b.full_rest)
    raise_to(b, b.time_tat, b.time_rest)
    force_on(b.fastest, now, b.asked, 2 * b.carried)
  end
  force_on(b, now, b.asked, 2 * b.carried)
end

-- Of permits that the fastest limit counts, as many are given back as of this one, which take less time there: tat stays
-- at or after the fastest limit's. The value lives until tat, so it outlives all permits owed.
local function move_back(b, ticks, parts)
  local fastest = b.fastest
  if fastest then
    b.tat, b.rest = b.time_tat, b.time_rest
  end
  set_tat(b, b.tat - ticks, b.rest - parts)
  if fastest then
    local its_ticks, left, part = scale(b, ticks, parts, fastest)
    set_tat(fastest, fastest.tat - its_ticks, fastest.rest - floor(left / part))
    raise_as_time(b, fastest)
  end
end

-- Where permits are leased, whoever was charged since may have been charged ahead of now, from where nothing is to be
-- taken back: then only the last charge is given back to.
function gcra.give_back(b, now, leased)
  now = floor(now / b.tick)
  local is_last = b.mark == b.tat and b.mark_rest == b.rest
  if now >= b.mark + (b.mark_rest > 0 and 1 or 0) or (b.leaky or leased) and not is_last then
    return move_back(b, 0, 0)
  end
  local ticks, rest, owed = b.cost, b.cost_rest, b.mark - now
  if ticks > owed or ticks == owed and rest > b.mark_rest then
    ticks, rest = owed, b.mark_rest
  end
  move_back(b, ticks, rest)
end

function gcra.refund(b)
  move_back(b, b.cost, b.cost_rest)
end

-- The fields about the fastest limit, where they are not what the value says already.
local function fastest_of(b)
  local v = b.fastest
  if not v or v.permits == b.permits and v.tat == b.tat and v.rest == b.rest then
    return b.tail == '' and '' or ('\0'):rep(FASTEST)
  end
  return pack('<I7I4BI7I4I4', b.tat, b.rest, v.tick == 1 and 1 or 0, v.tat, v.rest, v.permits)
end

function gcra.save(b, now)
  local full = b.tat + (b.rest > 0 and 1 or 0)
  local fresh = b.tick == 1 and floor((full + 999) / 1000) or full
  local head, format = b.head, b.format
  if b.carried > b.capacity then
    local most = max(b.permits, b.carried)
    local size = most < 256 and 1 or most < 65536 and 2 or 4
    head = GENERATION + head % 2 + (size > 1 and size or 0)
    format = (head % 2 == 1 and '<BI7' or '<BI6') .. ('I' .. size):rep(3)
  end
  local value = pack(format, head, b.tat, b.rest, b.permits, b.carried) .. fastest_of(b) .. b.tail
  store(b.key, value, fresh - floor(now / 1000))
end

function gcra.tell(b, now, reply)
  reply[#reply + 1] = b.tat
  reply[#reply + 1] = b.rest
end
