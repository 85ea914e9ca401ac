-- Sliding window: io.weir.algorithm.SlidingWindow, with windows named by their start.
--
-- Limit: 'w', capacity, period, the mark to give back to.
-- Value: generation; start of a window, the count in it and the one before. Counts may be above the capacity: another
--        node may have a larger limit. Nothing cuts them.
-- Reply: start and both counts.

local sliding = {}
algorithms.w = sliding

-- The count in the window that begins at `start`, which is not before the bucket's previous one.
local function sliding_count(b, start)
  if start == b.start then
    return b.current
  end
  return start == b.start - b.period and b.previous or 0
end

function sliding.open(key, limit, now, cost)
  local b = { key = key, start = 0, current = 0, previous = 0, tail = '', tick = 1000, cost = cost }
  now = floor(now / 1000)
  b.capacity, b.period, b.mark = unpack('<xI4I7I7', limit)
  local value = call('GET', key)
  if value then
    if #value < 15 then
      return nil
    end
    local head, start, current, previous = unpack('<BI6I4I4', value)
    if head - head % 16 ~= GENERATION then
      return nil
    end
    b.tail = value:sub(16)
    if b.capacity > 0 then
      local present = now - now % b.period
      if start > present + b.period then
        -- A larger limit may have granted both.
        b.start, b.current, b.changed = present, max(b.capacity, min(current + previous, LARGEST_COUNT)), true
      else
        b.start, b.current, b.previous = start, current, previous
      end
    end
  end
  return b
end

function sliding.fit(b, now, times)
  now = floor(now / 1000)
  local start = now - now % b.period
  if b.start > start then
    return 0
  end
  local weighted = divide(start + b.period - now, sliding_count(b, start - b.period), 0, b.period)
  return max(0, min(times, floor((b.capacity - sliding_count(b, start) - weighted) / b.cost)))
end

local function sliding_add(b, start, permits)
  local current, previous = sliding_count(b, start), sliding_count(b, start - b.period)
  b.start, b.current, b.previous = start, current + permits, previous
end

function sliding.take(b, now, at, times)
  at = floor(at / 1000)
  sliding_add(b, at - at % b.period, times * b.cost)
end

-- When the window of now ends.
function sliding.edge(b, now)
  now = floor(now / 1000)
  return (now - now % b.period + b.period) * 1000
end

function sliding.wait(b, at)
  at = floor(at / 1000)
  local start = max(b.start, at - at % b.period)
  local room = b.capacity - b.cost - sliding_count(b, start)
  if room < 0 then
    start, room = start + b.period, b.capacity - b.cost
  end
  local from = max(at, start)
  local previous = sliding_count(b, start - b.period)
  if previous > room then
    from = max(from, start + b.period - divide(room + 1, b.period, previous - 1, previous) + 1)
  end
  return (from - at) * 1000
end

function sliding.delay()
  return 0
end

function sliding.reach(b, now)
  now = floor(now / 1000)
  return 2 * b.period - now % b.period - 1
end

function sliding.force(b, now)
  now = floor(now / 1000)
  local start = max(b.start, now - now % b.period)
  sliding_add(b, start, max(0, min(b.cost, b.capacity - sliding_count(b, start))))
end

function sliding.give_back(b)
  if b.mark == b.start then
    b.current = max(0, b.current - b.cost)
  elseif b.mark == b.start - b.period then
    b.previous = max(0, b.previous - b.cost)
  end
end

function sliding.refund(b)
  local left = max(0, b.cost - b.current)
  b.current = max(0, b.current - b.cost)
  b.previous = max(0, b.previous - left)
end

function sliding.save(b, now)
  local fresh = b.start + (b.current > 0 and 2 * b.period or b.previous > 0 and b.period or 0)
  store(b.key, pack('<BI6I4I4', GENERATION, b.start, b.current, b.previous) .. b.tail, fresh - floor(now / 1000))
end

function sliding.tell(b, now, reply)
  reply[#reply + 1] = b.start
  reply[#reply + 1] = b.current
  reply[#reply + 1] = b.previous
end
