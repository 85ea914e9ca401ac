-- Sliding log: io.weir.algorithm.SlidingLog. Entries are searched by halves, never walked through.
--
-- Limit: 'l', flags (1 rejected count, 2 leased), capacity, period, the mark to give back to.
-- Value: a header and entries, oldest first.
--        Header: generation, its own length, bytes of an entry's tick and of its sum, the limit's capacity, the newest
--        tick, how many entries at the beginning are over, how many follow, the sum before these. What a later
--        release has to say comes at the header's end.
--        Entry: the low bytes of its tick, and of the sum of all permits up to it.
-- Reply: remaining; in milliseconds the waits until the request fits, until more remains and until the oldest entry
--        is out; the tick of what was taken last, or the newest.
--
-- Sums make a search of every question: how many permits are over at a time, and when as many as are wanted will be.
-- To cut off the oldest permits is to begin from a larger sum, and to refund the newest to end at a smaller one. Only
-- what is given back to an older entry changes all after it: to more than FARTHEST entries nothing is given back.
--
-- Where permits are leased, entries lie ahead of now: who is charged at now goes before them, and what was spent of a
-- lease is moved to when it was. For that the last entries are written anew, MOST_MOVED at most: what belongs before
-- these is counted with the first of them, which is later than it was.
--
-- A log of up to a page is read and written as a whole. A longer one is changed in its place, entry by entry; what is
-- over stays in front until it is longer than the rest.

local log = {}
algorithms.l = log

local PAGE = 2048
local FARTHEST = 4096
local MOST_MOVED = 256
local HEADER = 26

-- Tick and sum of entry i; sums count from `base`, the one before the first entry. The last is known without reading.
local function log_entry(b, i)
  if i == b.entries then
    return b.newest, b.total
  end
  local place = b.header + (b.over + i - 1) * b.width
  local tick, sum
  if b.long then
    tick, sum = unpack(b.format, call('GETRANGE', b.key, place, place + b.width - 1))
  else
    tick, sum = unpack(b.format, b.value, place + 1)
  end
  return b.newest - (b.newest - tick) % b.ticks, (sum - b.base) % b.sums
end

-- The first of the entries from `low` on whose tick is above `tick` and sum above `sum`, with both of these; one more
-- than the last if there is none. It is mostly near: so in growing steps, and then by halves.
local function log_first(b, low, tick, sum)
  local high, step, its_tick, its_sum = low, 1, nil, nil
  while high <= b.entries do
    its_tick, its_sum = log_entry(b, high)
    if its_tick > tick and its_sum > sum then
      break
    end
    low, high, step = high + 1, high + step, step * 2
  end
  if high > b.entries then
    high, its_tick, its_sum = b.entries + 1, nil, nil
  end
  while low < high do
    local middle = floor((low + high) / 2)
    local middle_tick, middle_sum = log_entry(b, middle)
    if middle_tick > tick and middle_sum > sum then
      high, its_tick, its_sum = middle, middle_tick, middle_sum
    else
      low = middle + 1
    end
  end
  return low, its_tick, its_sum
end

local function log_spent(b)
  return b.total - b.before
end

-- Forgets the oldest permits until those of the limit are left.
local function log_cut(b)
  if log_spent(b) > b.capacity then
    b.before = b.total - b.capacity
    b.first, b.oldest = log_first(b, b.first, 0, b.before)
  end
end

local function log_place(b, i)
  return b.header + (b.over + i - 1) * b.width
end

local function log_pack(b, tick, sum)
  return pack(b.format, tick % b.ticks, (b.base + sum) % b.sums)
end

local function log_write(b, i, entries)
  local place = log_place(b, i)
  if not b.long then
    b.value = b.value:sub(1, place) .. entries
  elseif #entries > 0 then
    call('SETRANGE', b.key, place, entries)
  end
end

local function log_append(b, tick, permits)
  if permits > 0 then
    local is_first = b.first > b.entries
    if is_first then
      b.oldest = tick
    end
    if is_first or tick > b.newest then
      if b.changed and not is_first then -- the one that is not the last any more is not written yet
        log_write(b, b.entries, log_pack(b, b.newest, b.total))
      end
      b.entries = b.entries + 1
      b.newest = tick
    end
    b.total = b.total + permits
    b.stamp = b.newest
  end
end

-- The entries from `low` on, as a list of ticks and permits.
local function log_tail(b, low)
  local tail, before = {}, b.before
  if low > b.first then
    local _, sum = log_entry(b, low - 1)
    before = max(before, sum)
  end
  local from, at = b.value, log_place(b, low) + 1
  if b.long and low < b.entries then
    from, at = call('GETRANGE', b.key, at - 1, log_place(b, b.entries) - 1), 1
  end
  for i = low, b.entries do
    local tick, sum = b.newest, b.total
    if i < b.entries then
      tick, sum = unpack(b.format, from, at)
      tick, sum, at = b.newest - (b.newest - tick) % b.ticks, (sum - b.base) % b.sums, at + b.width
    end
    tail[#tail + 1] = { tick, sum - before }
    before = sum
  end
  return tail
end

-- Adds permits to a tail, in order, and tells at which tick.
local function log_add(tail, tick, permits, is_whole)
  local i = #tail
  while i > 0 and tail[i][1] > tick do
    i = i - 1
  end
  if i == 0 and not is_whole and #tail > 0 then
    i, tick = 1, tail[1][1]
  end
  if i > 0 and tail[i][1] == tick then
    tail[i][2] = tail[i][2] + permits
  else
    table.insert(tail, i + 1, { tick, permits })
  end
  return tick
end

-- Writes `tail` in place of the entries from `low` on.
local function log_replace(b, low, tail)
  local sum = b.before
  if low > b.first then
    local _, last = log_entry(b, low - 1)
    sum = max(sum, last)
  end
  local entries, newest, oldest = {}, nil, nil
  for _, entry in ipairs(tail) do
    if entry[2] > 0 then
      sum, newest, oldest = sum + entry[2], entry[1], oldest or entry[1]
      entries[#entries + 1] = log_pack(b, newest, sum)
    end
  end
  if not newest and low > b.first then
    newest = log_entry(b, low - 1)
  end
  log_write(b, low, table.concat(entries))
  b.entries, b.total = low - 1 + #entries, sum
  b.newest = newest or b.newest
  if low == b.first then
    b.oldest = oldest or b.oldest
  end
  if b.first > b.entries then
    b.before = b.total
  end
end

-- From which entry on the log may be written anew.
local function log_low(b)
  return max(b.first, b.entries - MOST_MOVED + 1)
end

-- Appends, but before what lies ahead.
local function log_insert(b, tick, permits)
  if permits == 0 or b.first > b.entries or tick >= b.newest then
    return log_append(b, tick, permits)
  end
  local least, low = log_low(b), b.entries
  while low > least and log_entry(b, low - 1) >= tick do
    low = low - 1
  end
  local tail = log_tail(b, low)
  local is_whole = low == b.first or log_entry(b, low - 1) < tick
  local stamp = log_add(tail, tick, permits, is_whole)
  log_replace(b, low, tail)
  b.stamp, b.changed = stamp, true
end

local function set_widths(b, tick_bytes, sum_bytes)
  b.tick_bytes, b.sum_bytes = tick_bytes, sum_bytes
  b.ticks, b.sums = 256 ^ tick_bytes, 256 ^ sum_bytes
  b.width = tick_bytes + sum_bytes
  local ticks = tick_bytes == 3 and '<I3' or tick_bytes == 4 and '<I4' or '<I' .. tick_bytes
  b.format = ticks .. (sum_bytes == 2 and 'I2' or sum_bytes == 4 and 'I4' or 'I5')
end

-- A sum has as few bytes as tell apart all that a log of `capacity` permits may hold: twice as many by what was forced,
-- and once more by reservations. Not three: what is widened is written anew.
local function sum_bytes_for(capacity)
  local most = 4 * capacity
  return most < 65536 and 2 or most < 4294967296 and 4 or 5
end

-- Makes room in a log that was begun under a smaller limit.
local function log_widen(b)
  local bytes = sum_bytes_for(b.capacity)
  if bytes <= b.sum_bytes then
    return b
  end
  local wide, format = {}, '<I' .. b.tick_bytes .. 'I' .. bytes
  for i = b.first, b.entries do
    local tick, sum = log_entry(b, i)
    wide[#wide + 1] = pack(format, tick % b.ticks, sum - b.before)
  end
  b.value, b.long = ('\0'):rep(b.header) .. table.concat(wide), false
  b.total, b.entries = b.total - b.before, #wide
  b.over, b.base, b.before, b.first = 0, 0, 0, 1
  set_widths(b, b.tick_bytes, bytes)
  return b
end

function log.open(key, limit, now, cost)
  local flags, its_capacity, period, mark = unpack('<xBI4I7I7', limit)
  -- The entries that count are those from `first` on, and of their permits those above the sum `before`; `oldest` is
  -- the tick of the first with any. All fields are named here, since a table is slow to grow.
  local b = {
    key = key, tick = 1000, cost = cost, capacity = its_capacity, period = period, mark = mark,
    counts_rejected = flags == 1, leased = flags == 2, stamp = nil, changed = false, long = false, value = '',
    extra = '', header = HEADER,
    tick_bytes = 0, sum_bytes = 0, ticks = 0, sums = 0, width = 0, format = '',
    over = 0, entries = 0, base = 0, newest = 0, total = 0, first = 1, before = 0, oldest = 0,
  }
  local value = call('GETRANGE', key, 0, PAGE - 1)
  if #value == 0 then
    local tick_bytes, reach = 2, 65536
    while reach < 2 * b.period + 3 do
      tick_bytes, reach = tick_bytes + 1, reach * 256
    end
    set_widths(b, tick_bytes, sum_bytes_for(b.capacity))
    b.value = ('\0'):rep(HEADER)
    return b
  end
  if #value < HEADER then
    return nil
  end
  local head, header, widths, capacity, newest, over, entries, base = unpack('<BBBI4I6I4I4I5', value)
  if head - head % 16 ~= GENERATION then
    return nil
  end
  set_widths(b, floor(widths / 16), widths % 16)
  if header < HEADER or #value < PAGE and #value < header + (over + entries) * b.width then
    return nil
  end
  if b.capacity == 0 then
    return b
  end
  b.value, b.long = value, #value == PAGE
  if header > HEADER then
    b.header, b.extra = header, value:sub(HEADER + 1, header)
  end
  b.newest, b.over, b.base = newest, over, base
  if entries > 0 then
    b.entries = entries + 1 -- reads the last one
    local _, sum = log_entry(b, entries)
    b.entries, b.total = entries, sum
  end
  local cut = floor(now / 1000) - b.period
  if entries == 0 or newest <= cut then
    b.first, b.before = entries + 1, b.total
    return log_widen(b)
  end
  local first, oldest, sum = log_first(b, 1, cut, 0)
  if first > 1 then
    local _, before = log_entry(b, first - 1)
    if sum == before then -- all of it was given back
      first, oldest = log_first(b, first, 0, before)
    end
    b.before = before
  end
  b.first, b.oldest = first, oldest
  if newest > floor((now + ahead + 999) / 1000) + b.period + 1 then
    set_widths(b, b.tick_bytes, sum_bytes_for(b.capacity))
    b.over, b.entries, b.base, b.first, b.before = 0, 1, 0, 1, 0
    b.newest, b.oldest, b.total = floor((now + 999) / 1000), floor((now + 999) / 1000), b.capacity
    b.value = value:sub(1, header) .. pack(b.format, b.newest % b.ticks, b.total)
    b.long, b.changed = false, true
  elseif capacity ~= b.capacity then
    log_cut(b)
    b.changed = true
  end
  return log_widen(b)
end

function log.fit(b, now, times)
  return max(0, min(times, floor((b.capacity - log_spent(b)) / b.cost)))
end

function log.take(b, now, at, times)
  local stamp = floor((at + 999) / 1000)
  if b.leased then
    log_insert(b, stamp, times * b.cost)
  else
    log_append(b, stamp, times * b.cost)
  end
end

-- Who waits is charged now, and what is leased besides at the lease's end.
function log.lease(b, now, own, at, more)
  log.take(b, now, now, own)
  b.changed = true
  log.take(b, now, at, more)
end

-- Ends the lease that was charged at the mark: gives back `rest`, and moves what was spent, a list of permits and how
-- long ago at least they were. What others have taken from there is none of it.
function log.close(b, now, rest, spent)
  if b.first > b.entries or b.mark > b.newest then
    return
  end
  local low = log_low(b)
  local tail = log_tail(b, low)
  local i = #tail
  while i > 0 and tail[i][1] > b.mark do
    i = i - 1
  end
  if i == 0 then -- too far back to be moved
    local cost = b.cost
    b.cost = rest
    log.give_back(b)
    b.cost, b.changed = cost, true
    return
  elseif tail[i][1] ~= b.mark then
    return
  end
  local lease, used = tail[i], 0
  for _, group in ipairs(spent) do
    used = used + unpack('<I4', group)
  end
  -- Where a smaller limit has cut the log meanwhile, what was used stays rather than what is left.
  lease[2] = max(min(lease[2], used), lease[2] - rest)
  local left = lease[2]
  for j = #spent, 1, -1 do -- the latest first, should there be fewer than were charged
    local permits, age = unpack('<I4I7', spent[j])
    local tick = floor((now - age + 999) / 1000)
    permits = min(permits, left)
    left = left - permits
    if tick < b.mark and permits > 0 then
      lease[2] = lease[2] - permits
      if tick > floor(now / 1000) - b.period then
        log_add(tail, tick, permits, low == b.first)
      end
    end
  end
  log_replace(b, low, tail)
  b.changed = true
end

-- Milliseconds from `at` until `cost` fits.
local function log_wait(b, at, cost)
  local excess = log_spent(b) + cost - b.capacity
  if excess <= 0 or cost > b.capacity then
    return 0
  end
  local _, tick = log_first(b, b.first, 0, b.before + excess - 1)
  return max(0, tick + b.period - floor(at / 1000))
end

function log.wait(b, at)
  return log_wait(b, at, b.cost) * 1000
end

function log.delay()
  return 0
end

function log.reach(b)
  return b.period + 1
end

function log.force(b, now)
  local stamp = floor((now + 999) / 1000)
  if b.counts_rejected then
    log_append(b, stamp, min(b.cost, b.capacity))
    log_cut(b)
  else
    log_append(b, stamp, min(b.cost, max(0, 2 * b.capacity - log_spent(b))))
  end
end

-- Ends at the sum `total`: entries behind it are dropped.
local function log_end(b, total)
  if total <= b.before then
    b.first, b.before = b.entries + 1, b.total
    return
  end
  local last, newest = log_first(b, b.first, 0, total - 1)
  b.entries, b.newest, b.total = last, newest, total
  b.first, b.oldest = log_first(b, b.first, 0, b.before)
end

function log.give_back(b)
  if b.first > b.entries or b.mark > b.newest or b.counts_rejected and log_spent(b) >= b.capacity then
    return
  end
  local i, tick, sum = log_first(b, b.first, b.mark - 1, -1)
  if tick ~= b.mark or b.entries - i >= FARTHEST then
    return
  end
  local before = b.before
  if i > b.first then
    local _, last = log_entry(b, i - 1)
    before = max(before, last)
  end
  local less = max(0, min(b.cost, sum - before))
  local place = b.header + (b.over + i - 1) * b.width
  local later = (b.entries - i) * b.width
  local from, at = b.value, place + 1
  if b.long and later > 0 then
    from, at = call('GETRANGE', b.key, place, place + later - 1), 1
  end
  local changed = {}
  for j = i, b.entries - 1 do
    local its_tick, its_sum = unpack(b.format, from, at)
    changed[#changed + 1] = pack(b.format, its_tick, (its_sum - less) % b.sums)
    at = at + b.width
  end
  local entries = table.concat(changed)
  if not b.long then
    b.value = b.value:sub(1, place) .. entries .. b.value:sub(place + #entries + 1)
  elseif #entries > 0 then
    call('SETRANGE', b.key, place, entries)
  end
  b.total = b.total - less
  log_end(b, b.total)
end

function log.refund(b)
  if b.first <= b.entries then
    log_end(b, b.total - b.cost)
  end
end

function log.save(b, now)
  if b.first > b.entries then
    return call('DEL', b.key)
  end
  local from = b.header + (b.over + b.first - 1) * b.width
  local place = b.header + (b.over + b.entries - 1) * b.width
  b.over, b.entries = b.over + b.first - 1, b.entries - b.first + 1
  local last = pack(b.format, b.newest % b.ticks, (b.base + b.total) % b.sums)
  b.base = (b.base + b.before) % b.sums
  local in_place = b.long and not (b.over > b.entries and b.over * b.width > PAGE)
  local entries = ''
  if not in_place then
    entries = b.long and from < place and call('GETRANGE', b.key, from, place - 1) or b.value:sub(from + 1, place)
    b.over = 0
  end
  local widths = 16 * b.tick_bytes + b.sum_bytes
  local header = pack('<BBBI4I6I4I4I5', GENERATION, b.header, widths, b.capacity, b.newest, b.over, b.entries, b.base)
  local ttl = b.newest + b.period - floor(now / 1000)
  if in_place then
    call('SETRANGE', b.key, 0, header)
    call('SETRANGE', b.key, place, last)
    call('PEXPIRE', b.key, max(1, ttl) + linger)
  else
    store(b.key, header .. b.extra .. entries .. last, ttl)
  end
end

function log.tell(b, now, reply, refused)
  local remaining = max(0, b.capacity - log_spent(b))
  local ms = floor(now / 1000)
  local reset = 0
  if b.first <= b.entries then
    reset = b.oldest + b.period - ms
  end
  reply[#reply + 1] = remaining
  reply[#reply + 1] = refused and log_wait(b, now, b.cost) or 0
  reply[#reply + 1] = remaining < b.capacity and (remaining > 0 and reset or log_wait(b, now, 1)) or 0
  reply[#reply + 1] = reset
  reply[#reply + 1] = b.stamp or b.newest
end
