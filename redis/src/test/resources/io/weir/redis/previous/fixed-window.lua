-- Fixed window: io.weir.algorithm.FixedWindow, with windows named by their start.
--
-- Limit: 'f', capacity, the length of a window or 0, the mark to give back to, and where the calendar decides the
--        starts of some windows around the present.
-- Value: generation; start of a window and the count in it.
-- Reply: start and count.

local fixed = {}
algorithms.f = fixed

-- The start of the window of `ms`, and of the one after it.
local function window_of(b, ms)
  local length = b.length
  if length > 0 then
    local start = ms - ms % length
    return start, start + length
  end
  local start = 0
  for _, next in ipairs(b.starts) do
    if next > ms then
      return start, next
    end
    start = next
  end
  return start, nil
end

-- The count in the window from `start` to `next`. Where windows are the calendar's, nodes may not agree to the hour when
-- one begins, if they know different rules of its time zone: whatever began in a window is of that window, and the
-- latest start that anybody knows of is kept.
local function count_in(b, start, next)
  return b.start >= start and not (next and b.start >= next) and b.count or 0
end

function fixed.open(key, limit, now, cost)
  local b = { key = key, start = 0, count = 0, tail = '', tick = 1000, cost = cost }
  now = floor(now / 1000)
  b.capacity, b.length, b.mark = unpack('<xI4I7I7', limit)
  if b.length == 0 then
    b.starts = {}
    for at = 20, #limit, 7 do
      b.starts[#b.starts + 1] = unpack('<I7', limit, at)
    end
    if now < b.starts[1] or now >= b.starts[#b.starts - 1] then
      return nil, true
    end
  end
  local value = call('GET', key)
  if value then
    if #value < 11 then
      return nil
    end
    local head, start, count = unpack('<BI6I4', value)
    if head - head % 16 ~= GENERATION then
      return nil
    end
    b.tail = value:sub(12)
    if b.capacity > 0 then
      b.start, b.count = start, count
      local present, next = window_of(b, now)
      if start > next then
        b.start, b.count, b.changed = present, b.capacity, true
      elseif count > b.capacity then
        b.count, b.changed = b.capacity, true
      end
    end
  end
  return b
end

function fixed.fit(b, now, times)
  local start, next = window_of(b, floor(now / 1000))
  return b.start >= next and 0 or min(times, floor((b.capacity - count_in(b, start, next)) / b.cost))
end

function fixed.take(b, now, at, times)
  local start, next = window_of(b, floor(at / 1000))
  b.start, b.count = max(b.start, start), count_in(b, start, next) + times * b.cost
end

-- When the window of now ends.
function fixed.edge(b, now)
  local _, next = window_of(b, floor(now / 1000))
  return next * 1000
end

function fixed.wait(b, at)
  at = floor(at / 1000)
  local start, next = window_of(b, at)
  if b.start > start then
    start, next = window_of(b, b.start)
  end
  if count_in(b, start, next) + b.cost > b.capacity then
    start = next
  end
  return max(0, start - at) * 1000
end

function fixed.delay()
  return 0
end

function fixed.reach(b, now)
  now = floor(now / 1000)
  local _, next = window_of(b, now)
  _, next = window_of(b, next)
  return next - 1 - now
end

function fixed.force(b, now)
  local start, next = window_of(b, max(b.start, floor(now / 1000)))
  b.start, b.count = max(b.start, start), min(b.capacity, count_in(b, start, next) + b.cost)
end

function fixed.refund(b)
  b.count = max(0, b.count - b.cost)
end

function fixed.give_back(b)
  if b.mark == b.start then
    fixed.refund(b)
  end
end

function fixed.save(b, now)
  local _, next = window_of(b, b.start)
  local fresh = b.count > 0 and next or b.start
  store(b.key, pack('<BI6I4', GENERATION, b.start, b.count) .. b.tail, fresh - floor(now / 1000))
end

function fixed.tell(b, now, reply)
  reply[#reply + 1] = b.start
  reply[#reply + 1] = b.count
end
