-- What can be done to the buckets of one key, all limits together or none: io.weir.memory.BucketOperations. Last in a script.
--
-- KEYS[i]          the bucket under limit i
-- ARGV[i]          limit i, packed as its algorithm wants it, with what the request costs there
-- ARGV[#KEYS + 1]  the request, packed: verb (a letter), the time in microseconds or 0 for the server's, how many
--                  times, cost, in microseconds the longest wait, or lease, or to give back the longest lease that
--                  anybody may have. For a lease also how many of the times are for callers who wait, and into how
--                  many shares what is free besides is divided; and if one is to be closed before, how many permits
--                  are left of it, and of those that were spent some at a time, with the microseconds since then. Of a
--                  strict limiter also by how much later than it is made a charge counts at least. Absent: take a
--                  single permit, once.
-- ARGV[#KEYS + 2]  of a strict limiter for how many milliseconds after its end a bucket is kept: Redis's clock may go
--                  forward and back while nobody looks. Whatever is past its own end is as good as new anyway.
--
-- Reply: how often granted, of the times asked for (-1: the calendar passed is not that of the time that follows; -2 and
-- less, -2 minus how often: not all was, and the waits get shorter faster than time passes);
-- the time in microseconds; what each limit tells; for a reservation the wait in microseconds, for a lease how long it
-- lasts.

local verb, now, times, cost, longest, margin = 't', 0, 1, 1, 0, 0
if ARGV[#KEYS + 1] then
  verb, now, times, cost, longest = unpack('<c1I7I4I7i8', ARGV[#KEYS + 1])
  local length = #ARGV[#KEYS + 1] -- with a lease to be closed before, it is longer: of a strict limiter none is
  if length == 31 or length == 39 then
    margin = unpack('<I4', ARGV[#KEYS + 1], length - 3)
  end
end
if now == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  -- By a clock that is not the server's, nobody knows how long a bucket is wanted: an hour more.
  linger = 3600000
end

-- What clocks drift apart while a limit remembers: a thousandth, and half a second at most.
local MOST_DRIFT = 500000
if margin > 0 then
  ahead = margin + MOST_DRIFT
  linger = linger + floor(margin / 1000) + 1 + (tonumber(ARGV[#KEYS + 2]) or 0)
end

-- Shorter leases and smaller ones are not worth their way back.
local SHORTEST_LEASE = 5000
local SMALLEST_LEASE = 2

local buckets, with = {}, {}
for i, key in ipairs(KEYS) do
  with[i] = algorithms[ARGV[i]:sub(1, 1)]
  local b, why = with[i].open(key, ARGV[i], now, cost)
  if not b then
    if why then
      return { -1, now }
    end
    return redis.error_reply('WEIRFORMAT the value of ' .. key .. ' is of another release of Weir')
  end
  buckets[i] = b
end

-- By how much later a charge counts than it is made: of a strict limiter, where there are no windows.
local function later(i, b)
  if margin == 0 or with[i].edge then
    return 0
  end
  return margin + min(MOST_DRIFT, floor((b.full or b.period) * b.tick / 1000))
end

local function take(at, times)
  for i, b in ipairs(buckets) do
    with[i].take(b, now, at + later(i, b), times)
    b.changed = true
  end
end

-- Does `step` to each bucket, and notes that it is to be written.
local function each(step, ...)
  for i, b in ipairs(buckets) do
    with[i][step](b, now, ...)
    b.changed = true
  end
end

-- How many of `most` times fit into all buckets now.
local function fit(most)
  for i, b in ipairs(buckets) do
    if most > 0 then
      most = min(most, with[i].fit(b, now, most))
    end
  end
  return most
end

local function longest_of(what, at)
  local most = 0
  for i, b in ipairs(buckets) do
    most = max(most, with[i][what](b, at))
  end
  return most
end

local function reaches(wait)
  for i, b in ipairs(buckets) do
    if wait > 0 and floor(wait / b.tick) > with[i].reach(b, now) then
      return false
    end
  end
  return true
end

local CLOSES = 36 -- where in a request it is told what to close, in five bytes or more; a margin there has four
if (verb == 'l' or verb == 'c') and #ARGV[#KEYS + 1] >= CLOSES + 4 then
  local rest, groups, at = unpack('<I4B', ARGV[#KEYS + 1], CLOSES)
  local spent = {}
  for i = 1, groups do
    spent[i], at = ARGV[#KEYS + 1]:sub(at, at + 10), at + 11
  end
  for i, b in ipairs(buckets) do
    with[i].close(b, now, rest, spent)
  end
end

local granted, wait = 0, nil
if verb == 't' then
  granted = fit(times)
  if granted > 0 then
    take(now, granted)
  else
    verb = 'j'
  end
elseif verb == 'r' then
  wait = 0
  local more = longest_of('wait', now)
  while more > 0 and wait + more <= longest and reaches(wait + more) do
    wait = wait + more
    more = longest_of('wait', now + wait)
  end
  if more == 0 and wait + longest_of('delay', now + wait) <= longest then
    granted = 1
    take(now + wait, 1)
  end
elseif verb == 'l' then
  -- Those who wait come first. What is leased besides is charged as if it were all used at the lease's last moment,
  -- which lies before the edge of every window, of a strict limiter as far as charges count later elsewhere; see
  -- docs/decisions/0025-leases.md.
  local own, shares = unpack('<I4I4', ARGV[#KEYS + 1], 28)
  wait = longest
  for i, b in ipairs(buckets) do
    if with[i].edge then
      wait = min(wait, with[i].edge(b, now) - 1 - now - margin)
    end
  end
  local fits = fit(own + (times - own) * shares)
  granted = min(own, fits)
  local more = floor((fits - granted) / shares)
  if wait < SHORTEST_LEASE or more < SMALLEST_LEASE then
    wait, more = 0, 0
  end
  times = own
  for i, b in ipairs(buckets) do
    if more > 0 and b.leased then
      with[i].lease(b, now, granted, now + wait, more)
    elseif granted > 0 then
      with[i].take(b, now, now + wait + later(i, b), granted + more)
    end
    b.changed = b.changed or granted > 0
  end
  granted = granted + more
elseif verb == 'f' then
  each('force')
elseif verb == 'g' then
  each('give_back', longest > 0)
elseif verb == 'b' then
  each('refund')
end
if verb == 'j' then
  for i, b in ipairs(buckets) do
    if b.counts_rejected then
      with[i].force(b, now)
      b.changed = true
    end
  end
end

local reply = { granted, now }
for i, b in ipairs(buckets) do
  if b.falls_faster and granted < times then
    reply[1] = -2 - granted
  end
  with[i].tell(b, now, reply, granted < times)
  -- A limit of no permits has nothing to remember, and what others do is not its to change.
  if b.changed and b.capacity > 0 then
    with[i].save(b, now)
  end
end
reply[#reply + 1] = wait
if add_to_sum and verb == 'f' then
  add_to_sum(reply, now, cost, longest)
end
return reply
