-- Sliding epochs: io.weir.algorithm.SlidingEpochs. Only epochs in which something was counted are kept.
--
-- Limit: 'e', flags (1 rejected count), capacity, period, how many epochs, the mark to give back to.
-- Value: generation; number of the newest epoch, how many entries; entries, oldest first: how many epochs before the
--        newest, and the count, which may be above the capacity: another node may have a larger limit. Nothing cuts
--        it.
-- Reply: remaining; in milliseconds the waits until the request fits, until more remains and until the oldest is out.

local epochs = {}
algorithms.e = epochs

function epochs.open(key, limit, now, cost)
  local b = { key = key, head = 0, counts = {}, tail = '', tick = 1000, cost = cost }
  local flags
  flags, b.capacity, b.period, b.epochs, b.mark = unpack('<xBI4I7I2I7', limit)
  b.counts_rejected = flags == 1
  b.length = b.period / b.epochs
  local present = floor(floor(now / 1000) / b.length)
  local value = call('GET', key)
  if value then
    if #value < 9 then
      return nil
    end
    local head, newest, entries, at = unpack('<BI6I2', value)
    if head - head % 16 ~= GENERATION or #value < 9 + 6 * entries then
      return nil
    end
    if b.capacity > 0 then
      local sum = 0
      b.head = newest
      for _ = 1, entries do
        local age, count
        age, count, at = unpack('<I2I4', value, at)
        b.counts[newest - age] = count
        sum = sum + count
      end
      b.tail = value:sub(10 + 6 * entries)
      if newest > present + b.epochs then
        -- A larger limit may have spread what it granted: it is the sum that was spent.
        b.head, b.counts, b.changed = present, { [present] = max(b.capacity, min(sum, LARGEST_COUNT)) }, true
      end
    else
      b.tail = value:sub(10 + 6 * entries)
    end
  end
  return b
end

-- What is counted in the epochs that are in sight from `last`.
local function epochs_sum(b, last)
  local sum = 0
  for epoch, count in pairs(b.counts) do
    if epoch > last - b.epochs and epoch <= last then
      sum = sum + count
    end
  end
  return sum
end

local function epoch_of(b, at)
  return floor(floor(at / 1000) / b.length)
end

function epochs.fit(b, now, times)
  local epoch = epoch_of(b, now)
  if epoch < b.head then
    return 0
  end
  return max(0, min(times, floor((b.capacity - epochs_sum(b, epoch)) / b.cost)))
end

local function epochs_add(b, epoch, permits)
  local head = max(b.head, epoch)
  for old in pairs(b.counts) do
    if old <= head - b.epochs then
      b.counts[old] = nil
    end
  end
  b.head = head
  local count = b.counts[head] or 0
  b.counts[head] = max(count, min(b.capacity, count + permits))
end

function epochs.take(b, now, at, times)
  epochs_add(b, epoch_of(b, at), times * b.cost)
end

-- When the epoch of now ends.
function epochs.edge(b, now)
  return (epoch_of(b, now) + 1) * b.length * 1000
end

-- Milliseconds from `at` until `cost` fits.
local function epochs_wait(b, at, cost)
  at = floor(at / 1000)
  local epoch = max(floor(at / b.length), b.head)
  local sum = epochs_sum(b, epoch)
  while sum + cost > b.capacity and sum > 0 do
    epoch = epoch + 1
    sum = sum - (b.counts[epoch - b.epochs] or 0)
  end
  return max(0, epoch * b.length - at)
end

function epochs.wait(b, at)
  return epochs_wait(b, at, b.cost) * 1000
end

function epochs.delay()
  return 0
end

function epochs.reach(b)
  return b.period
end

function epochs.force(b, now)
  epochs_add(b, epoch_of(b, now), b.cost)
end

function epochs.give_back(b)
  local count = b.mark > b.head - b.epochs and b.counts[b.mark] or 0
  if count > 0 and not (b.counts_rejected and count >= b.capacity) then
    b.counts[b.mark] = max(0, count - b.cost)
  end
end

function epochs.refund(b)
  local left = b.cost
  for epoch = b.head, b.head - b.epochs + 1, -1 do
    local count = b.counts[epoch]
    if count then
      b.counts[epoch] = max(0, count - left)
      left = max(0, left - count)
    end
  end
end

function epochs.save(b, now)
  local entries, newest = {}, nil
  for epoch = b.head - b.epochs + 1, b.head do
    local count = b.counts[epoch]
    if count and count > 0 then
      entries[#entries + 1] = pack('<I2I4', b.head - epoch, count)
      newest = epoch
    end
  end
  local value = pack('<BI6I2', GENERATION, b.head, #entries) .. table.concat(entries) .. b.tail
  local fresh = max(b.head, newest and newest + b.epochs or 0)
  store(b.key, value, fresh * b.length - floor(now / 1000))
end

function epochs.tell(b, now, reply, refused)
  local ms = floor(now / 1000)
  local epoch = floor(ms / b.length)
  local remaining = epoch < b.head and 0 or max(0, b.capacity - epochs_sum(b, epoch))
  local oldest
  for e, count in pairs(b.counts) do
    if count > 0 and e > epoch - b.epochs and e > b.head - b.epochs and not (oldest and oldest < e) then
      oldest = e
    end
  end
  reply[#reply + 1] = remaining
  reply[#reply + 1] = refused and b.cost <= b.capacity and epochs_wait(b, now, b.cost) or 0
  reply[#reply + 1] = remaining < b.capacity and epochs_wait(b, now, remaining + 1) or 0
  reply[#reply + 1] = oldest and (oldest + b.epochs) * b.length - ms or 0
end
