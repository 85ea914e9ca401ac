-- What all algorithms share. First in every script of more than one file.
--
-- A script is base, the algorithms that its limits have, and verbs. Each algorithm is a table of functions on a
-- bucket `b`, which `open` reads from its key; verbs.lua says what they are called for.
--
-- Moments are microseconds since the epoch; inside an algorithm they are ticks: milliseconds, or microseconds for
-- fine buckets. A Lua number is exact below 2^53, and all moments lie there until 2109.

local call = redis.call
local pack, unpack = struct.pack, struct.unpack
local floor, max, min = math.floor, math.max, math.min

-- By the letter with which a packed limit begins.
local algorithms = {}

-- A value begins with a byte: the generation of its format times 16, and flags. Whoever meets another generation
-- leaves it alone. What comes after the fields that are known here is of a later release, and is kept.
local GENERATION = 16

-- Added to each time to live; verbs.lua sets it where the time is not the server's.
local linger = 0

-- In microseconds, how far a charge may count ahead of its time besides; of strict limiters, by verbs.lua.
local ahead = 0

-- The largest count that a value has room for.
local LARGEST_COUNT = 4294967295

-- Counts what a node has told of; sum.lua sets it where nodes do.
local add_to_sum

-- floor((a * b + c) / d) and the remainder, exactly, for c and d below 2^43, b up to 2^42 and a quotient below 2^53.
local function divide(a, b, c, d)
  local sum = a * b + c
  if sum < 9007199254740992 then
    local quotient = floor(sum / d)
    return quotient, sum - quotient * d
  end
  -- Bit by bit of b, highest first, dividing as it goes: what is carried along is only the remainder.
  local whole, rest = floor(a / d), a % d
  local quotient, left = 0, 0
  local bit = 4398046511104
  while bit >= 1 do
    quotient, left = quotient * 2, left * 2
    if b >= bit then
      b = b - bit
      quotient, left = quotient + whole, left + rest
    end
    local carry = floor(left / d)
    quotient, left = quotient + carry, left - carry * d
    bit = bit / 2
  end
  left = left + c % d
  return quotient + floor(c / d) + floor(left / d), left % d
end

-- Writes a bucket until it is as good as new, `ttl` milliseconds from now; or nothing, if it is so already.
local function store(key, value, ttl)
  if ttl > 0 then
    call('SET', key, value, 'PX', ttl + linger)
  else
    call('DEL', key)
  end
end
